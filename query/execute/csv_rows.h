// Reads records of csv (RFC 4180), with another delimiter and quote if the options say so. Bytes
// are taken as they are: csv has no escapes.
// SPDX-License-Identifier: Apache-2.0
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
  // Reads one field and the delimiter or line end after it; *last says which of the two it was.
  [[nodiscard]] Status Field(Row* row, bool* last);
  // Reads to the closing quote; a doubled quote stands for one.
  [[nodiscard]] Status Quoted(std::string* text);
  [[nodiscard]] Status Grow() { return ByteInput::CheckSize(++record_size_); }

  char delimiter_;
  char quote_;
  std::optional<std::string> null_text_;
  size_t record_size_ = 0;  // memory of the record: its bytes and one Value for each field
};

}  // namespace sippar::query
