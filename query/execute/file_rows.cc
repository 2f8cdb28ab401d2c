// Records of input files. SPDX-License-Identifier: Apache-2.0
#include "query/execute/file_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/limits.h"
#include "query/query_error.h"

namespace sippar::query {
namespace {

constexpr size_t kRecordSizeMax = 2 * limits::kValueSizeMax;

Status BadRecord(std::string_view message) { return ErrorAt("BAD_RECORD", {}, message); }

// Bytes of a file one by one, with the line they are on.
class ByteInput {
 public:
  explicit ByteInput(std::unique_ptr<InputFile> file) : file_(std::move(file)), buffer_(1 << 16) {}

  // False at the end.
  StatusOr<bool> Peek(char* c) {
    if (at_ == size_) {
      ASSIGN_OR_RETURN(size_, file_->Read(buffer_.data(), buffer_.size()));
      at_ = 0;
      bytes_ += size_;
      if (size_ == 0) return false;
    }
    *c = buffer_[at_];
    return true;
  }
  void Skip() {
    if (buffer_[at_++] == '\n') ++line_;
  }
  // Up to the end of the line, without it or a \r before it. False at the end of the file.
  StatusOr<bool> Line(std::string* line) {
    line->clear();
    bool any = false;
    for (;;) {
      char c = 0;
      ASSIGN_OR_RETURN(bool more, Peek(&c));
      if (!more) return any;
      Skip();
      any = true;
      if (c == '\n') break;
      line->push_back(c);
      if (line->size() > kRecordSizeMax) return TooLong();
    }
    if (!line->empty() && line->back() == '\r') line->pop_back();
    return true;
  }
  uint64_t line() const { return line_; }
  uint64_t bytes() const { return bytes_; }
  static Status TooLong() {
    return ResourceExhausted(fmt::format("a record is longer than {} MiB", kRecordSizeMax >> 20));
  }

 private:
  std::unique_ptr<InputFile> file_;
  std::vector<char> buffer_;
  size_t at_ = 0;
  size_t size_ = 0;
  uint64_t line_ = 1;
  uint64_t bytes_ = 0;
};

class InputRows : public FileRows {
 public:
  InputRows(std::unique_ptr<InputFile> file, bool header)
      : input_(std::move(file)), header_(header) {}
  const std::vector<std::string>& columns() const override { return columns_; }
  uint64_t line() const override { return record_line_; }
  uint64_t bytes() const override { return input_.bytes(); }

  // Names from the header, or made up for the first record, which is then kept.
  virtual Status Start() {
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
  virtual StatusOr<bool> Record(Row* row) = 0;

  ByteInput input_;
  bool header_;
  std::vector<std::string> columns_;
  Row kept_;
  uint64_t record_line_ = 1;
};

class CsvRows final : public InputRows {
 public:
  using InputRows::InputRows;

 protected:
  StatusOr<bool> Record(Row* row) override {
    row->clear();
    record_line_ = input_.line();
    char c = 0;
    ASSIGN_OR_RETURN(bool more, input_.Peek(&c));
    if (!more) return false;
    record_size_ = 0;
    for (bool last = false; !last;) {
      RETURN_IF_ERROR(Field(row, &last));
    }
    return true;
  }

 private:
  // One field and the comma or line end behind it.
  Status Field(Row* row, bool* last) {
    std::string text;
    bool quoted = false, inside = false;
    for (;;) {
      char c = 0;
      ASSIGN_OR_RETURN(bool more, input_.Peek(&c));
      if (++record_size_ > kRecordSizeMax) return ByteInput::TooLong();
      if (!more) {
        *last = true;
        if (inside) return BadRecord("a quoted field does not end");
        break;
      }
      if (inside) {
        input_.Skip();
        if (c != '"') {
          text.push_back(c);
          continue;
        }
        char next = 0;
        ASSIGN_OR_RETURN(bool doubled, input_.Peek(&next));
        doubled = doubled && next == '"';
        if (doubled) {
          input_.Skip();
          text.push_back('"');
        } else {
          inside = false;
        }
        continue;
      }
      input_.Skip();
      if (c == ',') break;
      if (c == '\n') {
        *last = true;
        break;
      }
      if (c == '"' && text.empty() && !quoted) {
        quoted = inside = true;
      } else {
        text.push_back(c);
      }
    }
    if (*last && !text.empty() && text.back() == '\r') text.pop_back();
    row->push_back(text.empty() && !quoted ? Value::Null() : Value::Text(std::move(text)));
    record_size_ += sizeof(Value);
    return OkStatus();
  }

  size_t record_size_ = 0;  // in memory, so many empty fields count too
};

class TsvRows : public InputRows {
 public:
  using InputRows::InputRows;

 protected:
  StatusOr<bool> Record(Row* row) override {
    row->clear();
    record_line_ = input_.line();
    std::string line;
    ASSIGN_OR_RETURN(bool more, input_.Line(&line));
    if (!more) return false;
    for (size_t at = 0; at <= line.size();) {
      size_t end = std::min(line.find('\t', at), line.size());
      std::string_view field = std::string_view(line).substr(at, end - at);
      at = end + 1;
      if (field == "\\N") {
        row->push_back(Value::Null());
        continue;
      }
      std::string text;
      if (!UnescapeField(field, &text)) {
        return BadRecord("a backslash stands before t, n, r, N, xHH or another backslash");
      }
      row->push_back(FieldValue(std::move(text)));
    }
    return true;
  }
  virtual Value FieldValue(std::string text) { return Value::Text(std::move(text)); }
};

class CellsRows final : public TsvRows {
 public:
  explicit CellsRows(std::unique_ptr<InputFile> file) : TsvRows(std::move(file), false) {}
  Status Start() override {
    columns_ = {"row", "column", "timestamp", "value"};
    return OkStatus();
  }

 protected:
  Value FieldValue(std::string text) override { return Value::Bytes(std::move(text)); }
};

class JsonRows final : public InputRows {
 public:
  JsonRows(std::unique_ptr<InputFile> file, std::vector<std::string> wanted)
      : InputRows(std::move(file), false) {
    columns_ = std::move(wanted);
  }
  Status Start() override {
    if (!columns_.empty()) return OkStatus();
    nlohmann::ordered_json object;
    ASSIGN_OR_RETURN(bool more, Object(&object));
    if (!more) return OkStatus();
    for (const auto& member : object.items()) columns_.push_back(member.key());
    kept_ = RowOf(object);
    return OkStatus();
  }

 protected:
  StatusOr<bool> Record(Row* row) override {
    nlohmann::ordered_json object;
    ASSIGN_OR_RETURN(bool more, Object(&object));
    if (more) *row = RowOf(object);
    return more;
  }

 private:
  // Blank lines do not count.
  StatusOr<bool> Object(nlohmann::ordered_json* object) {
    std::string line;
    do {
      record_line_ = input_.line();
      ASSIGN_OR_RETURN(bool more, input_.Line(&line));
      if (!more) return false;
    } while (line.find_first_not_of(" \t") == std::string::npos);
    if (NestsTooDeep(line)) {
      return BadRecord(fmt::format("nested more than {} levels deep", limits::kNestingMax));
    }
    *object = nlohmann::ordered_json::parse(line, nullptr, false);
    if (object->is_object()) return true;
    return BadRecord("this line is no JSON object");
  }

  // The library prints and frees nested values by recursion.
  static bool NestsTooDeep(std::string_view line) {
    size_t depth = 0;
    bool in_text = false;
    for (size_t i = 0; i < line.size(); ++i) {
      char c = line[i];
      if (in_text) {
        if (c == '\\') ++i;
        in_text = c != '"';
      } else if (c == '"') {
        in_text = true;
      } else if (c == '[' || c == '{') {
        if (++depth > limits::kNestingMax) return true;
      } else if ((c == ']' || c == '}') && depth > 0) {
        --depth;
      }
    }
    return false;
  }

  Row RowOf(const nlohmann::ordered_json& object) const {
    Row row;
    for (const std::string& name : columns_) {
      auto found = object.find(name);
      row.push_back(found == object.end() ? Value::Null() : ValueOf(*found));
    }
    return row;
  }

  static Value ValueOf(const nlohmann::ordered_json& json) {
    if (json.is_null()) return Value::Null();
    if (json.is_boolean()) return Value::Bool(json.get<bool>());
    if (json.is_number_float()) return Value::Float64(json.get<double>());
    if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX) {
      return Value::Float64(json.get<double>());
    }
    if (json.is_number()) return Value::Int64(json.get<int64_t>());
    if (json.is_string()) return Value::Text(json.get<std::string>());
    return Value::Text(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool UnescapeField(std::string_view field, std::string* out) {
  out->clear();
  for (size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\') {
      out->push_back(field[i]);
      continue;
    }
    if (++i == field.size()) return false;
    switch (field[i]) {
      case 't':
        out->push_back('\t');
        break;
      case 'n':
        out->push_back('\n');
        break;
      case 'r':
        out->push_back('\r');
        break;
      case '\\':
        out->push_back('\\');
        break;
      case 'x': {
        int high = i + 2 < field.size() ? HexDigit(field[i + 1]) : -1;
        int low = i + 2 < field.size() ? HexDigit(field[i + 2]) : -1;
        if (high < 0 || low < 0) return false;
        out->push_back(static_cast<char>(high * 16 + low));
        i += 2;
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

StatusOr<std::unique_ptr<FileRows>> FileRows::Open(std::unique_ptr<InputFile> file,
                                                   const FileRowsOptions& options) {
  std::unique_ptr<InputRows> rows;
  if (options.format == "csv") {
    rows = std::make_unique<CsvRows>(std::move(file), options.header);
  } else if (options.format == "tsv") {
    rows = std::make_unique<TsvRows>(std::move(file), options.header);
  } else if (options.format == "jsonl") {
    rows = std::make_unique<JsonRows>(std::move(file), options.wanted);
  } else if (options.format == "cells") {
    rows = std::make_unique<CellsRows>(std::move(file));
  } else {
    return InvalidArgument(fmt::format("cannot read format {}", options.format));
  }
  RETURN_IF_ERROR(rows->Start());
  return std::unique_ptr<FileRows>(std::move(rows));
}

}  // namespace sippar::query
