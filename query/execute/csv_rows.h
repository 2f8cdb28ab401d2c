// Records of csv (RFC 4180), with another delimiter and quote where the file has them. Bytes come
// as they are: nothing is unescaped. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/execute/input_rows.h"

namespace sippar::query {

class CsvRows final : public InputRows {
 public:
  CsvRows(std::unique_ptr<InputFile> file, const FileRowsOptions& options)
      : InputRows(std::move(file), options.header),
        delimiter_(options.delimiter),
        quote_(options.quote),
        null_text_(options.null_text) {}

 protected:
  StatusOr<bool> Record(Row* row) override;

 private:
  // One field and the delimiter or line end after it.
  [[nodiscard]] Status Field(Row* row, bool* last);
  // Up to the closing quote.
  [[nodiscard]] Status Quoted(std::string* text);
  [[nodiscard]] Status Grow() { return ByteInput::CheckSize(++record_size_); }

  char delimiter_;
  char quote_;
  std::optional<std::string> null_text_;
  size_t record_size_ = 0;  // in memory, so many empty fields count too
};

}  // namespace sippar::query
