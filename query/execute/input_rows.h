// Base class of the readers of all file formats: keeps the column names and reads the header. For
// file_rows.cc and the readers only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "query/execute/byte_input.h"
#include "query/execute/file_rows.h"
#include "query/session/query_error.h"

namespace sippar::query {

// The error of a record that cannot be read; IMPORT may skip such a record.
inline Status BadRecord(std::string_view message) { return ErrorAt("BAD_RECORD", {}, message); }

class InputRows : public FileRows {
 public:
  InputRows(std::unique_ptr<InputFile> file, bool header,
            ByteInput::Start start = ByteInput::Start::kText)
      : input_(std::move(file), start), header_(header) {}
  const std::vector<std::string>& columns() const override { return columns_; }
  std::string text() const override { return input_.Marked(); }
  uint64_t line() const override { return record_line_; }
  uint64_t bytes() const override { return input_.bytes(); }
  double share() const override { return input_.share(); }

  // Skips `count` lines, or fewer if the file ends before that.
  [[nodiscard]] Status SkipLines(uint64_t count, const engine::StopSignal& stop) {
    std::string line;
    for (bool more = true; more && count > 0; --count) {
      RETURN_IF_ERROR(stop.Check());
      ASSIGN_OR_RETURN(more, input_.Line(&line));
    }
    return OkStatus();
  }

  // Takes the column names from the header. Without a header the columns are named c1, c2 …, one
  // for each field of the first record, and that record is kept for Next.
  [[nodiscard]] virtual Status Start() {
    Row first;
    ASSIGN_OR_RETURN(bool more, Record(&first));
    if (!more) return OkStatus();
    for (size_t i = 0; i < first.size(); ++i) {
      columns_.push_back(header_ ? first[i].bytes() : fmt::format("c{}", i + 1));
    }
    if (!header_) kept_ = std::move(first);
    return OkStatus();
  }

  StatusOr<bool> Next(Row* row) override {
    if (!kept_.empty()) {
      *row = std::exchange(kept_, {});
      return true;
    }
    ASSIGN_OR_RETURN(bool more, Record(row));
    if (!more) return false;
    if (row->size() == columns_.size()) return true;
    return BadRecord(fmt::format("{} fields where {} are expected", row->size(), columns_.size()));
  }

 protected:
  // Calls BeginRecord, then reads one record. False at the end of the file.
  [[nodiscard]] virtual StatusOr<bool> Record(Row* row) = 0;
  void BeginRecord() {
    record_line_ = input_.line();
    input_.Mark();
  }

  ByteInput input_;
  bool header_;
  std::vector<std::string> columns_;
  Row kept_;                  // the first record, if Start had to read it
  uint64_t record_line_ = 1;  // line on which the last record began
};

}  // namespace sippar::query
