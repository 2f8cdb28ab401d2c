// Holds FileRows::Open and the readers of tsv and cells; csv and jsonl have files of their own.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/file_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/execute/csv_rows.h"
#include "query/execute/input_rows.h"
#include "query/execute/json_rows.h"
#include "query/format/cell_line.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

class TsvRows : public InputRows {
 public:
  TsvRows(std::unique_ptr<InputFile> file, bool header, std::optional<std::string> null_text,
          ByteInput::Start start = ByteInput::Start::kText)
      : InputRows(std::move(file), header, start), null_text_(std::move(null_text)) {}

 protected:
  StatusOr<bool> Record(Row* row) override {
    row->clear();
    BeginRecord();
    std::string line;
    ASSIGN_OR_RETURN(bool more, input_.Line(&line));
    if (!more) return false;
    // A line with n tabs has n + 1 fields; the last may be empty.
    for (size_t at = 0; at <= line.size();) {
      size_t end = std::min(line.find('\t', at), line.size());
      std::string_view field = std::string_view(line).substr(at, end - at);
      at = end + 1;
      if (field == "\\N" || field == null_text_) {
        row->push_back(Value::Null());
        continue;
      }
      std::string text;
      if (!UnescapeField(field, &text)) {
        return BadRecord("a backslash must be followed by t, n, r, N, xHH or another backslash");
      }
      row->push_back(FieldValue(std::move(text)));
    }
    return true;
  }
  // Fields are TEXT, so that a mapping can compute with them. CellsRows overrides this.
  virtual Value FieldValue(std::string text) { return Value::Text(std::move(text)); }

 private:
  std::optional<std::string> null_text_;
};

// The format `cells` is tsv with fixed columns and without a header; its values are any bytes.
class CellsRows final : public TsvRows {
 public:
  // Does not skip a byte order mark, because the first row key may begin with the same bytes.
  explicit CellsRows(std::unique_ptr<InputFile> file)
      : TsvRows(std::move(file), false, {}, ByteInput::Start::kBytes) {}
  Status Start() override {
    // RecordMapping recognizes a cells file by these column names. It treats a csv, tsv or jsonl
    // file with these columns like a cells file.
    columns_ = {"row", "column", "timestamp", "value"};
    return OkStatus();
  }

 protected:
  Value FieldValue(std::string text) override { return Value::Bytes(std::move(text)); }
};

// Reads the whole file as one value.
class RawRows final : public InputRows {
 public:
  explicit RawRows(std::unique_ptr<InputFile> file)
      : InputRows(std::move(file), false, ByteInput::Start::kBytes) {}
  Status Start() override {
    columns_ = {"value"};
    return OkStatus();
  }
  std::string text() const override { return ""; }

 protected:
  StatusOr<bool> Record(Row* row) override {
    if (std::exchange(read_, true)) return false;
    std::string bytes;
    for (;;) {
      char c = 0;
      ASSIGN_OR_RETURN(bool more, input_.Peek(&c));
      if (!more) break;
      RETURN_IF_ERROR(ByteInput::CheckSize(bytes.size()));
      bytes.push_back(c);
      input_.Skip();
    }
    *row = {Value::Bytes(std::move(bytes))};
    return true;
  }

 private:
  bool read_ = false;
};

}  // namespace

StatusOr<std::unique_ptr<FileRows>> FileRows::Open(std::unique_ptr<InputFile> file,
                                                   const FileRowsOptions& options,
                                                   const engine::StopSignal& stop) {
  std::unique_ptr<InputRows> rows;
  if (options.format == "csv") {
    rows = std::make_unique<CsvRows>(std::move(file), options);
  } else if (options.format == "tsv") {
    rows = std::make_unique<TsvRows>(std::move(file), options.header, options.null_text);
  } else if (options.format == "jsonl" || options.format == "jsonl-b64") {
    bool base64 = options.format == "jsonl-b64";
    rows = std::make_unique<JsonRows>(std::move(file), options.wanted, base64);
  } else if (options.format == "raw") {
    rows = std::make_unique<RawRows>(std::move(file));
  } else if (options.format == "cells") {
    rows = std::make_unique<CellsRows>(std::move(file));
  } else {
    return InvalidArgument(fmt::format("reading format {} is not supported", options.format));
  }
  // Lines before the header are skipped as lines, not as records: they need not have the file's
  // format.
  RETURN_IF_ERROR(rows->SkipLines(options.skip_lines, stop));
  RETURN_IF_ERROR(rows->Start());
  return std::unique_ptr<FileRows>(std::move(rows));
}

}  // namespace sippar::query
