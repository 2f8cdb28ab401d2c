// The formats csv (RFC 4180) and tsv, which lose nothing, and raw, which prints only the bytes of
// one column. csv has no escapes: a field holds the bytes of the value, NULL is an empty field and
// an empty value is "". In tsv unprintable bytes are \xHH and NULL is \N. Maps, lists and versions
// are JSON (json_value.h) in both. On a terminal csv is escaped like the formats for people.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "query/format/cell_line.h"
#include "query/format/formatters.h"
#include "query/format/json_value.h"

namespace sippar::query {
namespace {

using engine::Row;
using engine::Value;

// Returns the text of a value, to which the format then adds its quotes and escapes.
std::string FieldText(const Value& value) {
  bool items = value.type() == engine::ValueType::kMap ||
               value.type() == engine::ValueType::kArray ||
               value.type() == engine::ValueType::kStruct;
  return value.is_string() ? value.bytes() : items ? JsonValue(value) : value.Print();
}

std::string CsvField(const Value& value, bool terminal) {
  if (value.is_null()) return "";
  std::string text = FieldText(value);
  if (terminal) text = engine::PrintEscaped(text);
  // Many readers trim unquoted blanks, so a field that begins or ends with a blank is quoted, too.
  bool quoted = text.empty() || text.find_first_of(",\"\n\r\t") != std::string::npos ||
                text.front() == ' ' || text.back() == ' ';
  if (!quoted) return text;
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  return out + "\"";
}

std::string TsvField(const Value& value, bool terminal) {
  if (value.is_null()) return "\\N";
  std::string field;
  AppendField(FieldText(value), terminal, &field);
  return field;
}

template <std::string (*kField)(const Value&, bool), char kSeparator>
class DelimitedFormatter : public ResultFormatter {
 public:
  explicit DelimitedFormatter(const FormatOptions& options)
      : header_(options.header), terminal_(options.terminal) {}
  Status Begin(const std::vector<std::string>& columns, std::string* out) override {
    if (!header_) return OkStatus();
    Row names;
    for (const std::string& column : columns) names.push_back(Value::Text(column));
    Add(names, out);
    return OkStatus();
  }
  void Add(const Row& row, std::string* out) override {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out->push_back(kSeparator);
      *out += kField(row[i], terminal_);
    }
    out->push_back('\n');
  }
  void End(const FormatEnd&, std::string*) override {}

 private:
  bool header_;
  bool terminal_;
};

// Prints the bytes of one column and nothing else, so that a file stored in a cell comes out
// unchanged.
class RawFormatter final : public ResultFormatter {
 public:
  explicit RawFormatter(const FormatOptions& options) : terminal_(options.terminal) {}
  Status Begin(const std::vector<std::string>& columns, std::string*) override {
    if (columns.size() != 1) {
      return InvalidArgument(fmt::format(
          "format raw shows one column, and this result has {}: select one value", columns.size()));
    }
    if (!terminal_) return OkStatus();
    return InvalidArgument(
        "format raw prints bytes that a terminal may obey: write to a file or a pipe");
  }
  void Add(const Row& row, std::string* out) override {
    if (!row[0].is_null()) *out += FieldText(row[0]);
  }
  void AddGap(uint64_t, std::string*) override {}
  void End(const FormatEnd&, std::string*) override {}

 private:
  bool terminal_;
};

}  // namespace

std::unique_ptr<ResultFormatter> NewRawFormatter(const FormatOptions& options) {
  return std::make_unique<RawFormatter>(options);
}
std::unique_ptr<ResultFormatter> NewCsvFormatter(const FormatOptions& options) {
  return std::make_unique<DelimitedFormatter<CsvField, ','>>(options);
}
std::unique_ptr<ResultFormatter> NewTsvFormatter(const FormatOptions& options) {
  return std::make_unique<DelimitedFormatter<TsvField, '\t'>>(options);
}

}  // namespace sippar::query
