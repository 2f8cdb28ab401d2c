// json (one document with columns, rows and next), jsonl (one object on each line) and jsonl-b64
// (the same, with every value that is text or bytes in base64). json_value.h prints their values.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "query/format/formatters.h"
#include "query/format/json_value.h"

namespace sippar::query {
namespace {

using engine::Row;
using engine::Value;

std::string TextOf(std::string_view text) { return JsonValue(Value::Text(std::string(text))); }

// A row is a list and not an object, since the columns are named once at the start and two may have
// the same name.
std::string JsonRow(const Row& row) {
  std::string out = "[";
  for (size_t i = 0; i < row.size(); ++i) out += (i > 0 ? "," : "") + JsonValue(row[i]);
  return out + "]";
}

class JsonFormatter : public ResultFormatter {
 public:
  Status Begin(const std::vector<std::string>& columns, std::string* out) override {
    *out += "{\"columns\":[";
    for (size_t i = 0; i < columns.size(); ++i) *out += (i > 0 ? "," : "") + TextOf(columns[i]);
    *out += "],\"rows\":[";
    return OkStatus();
  }
  void Add(const Row& row, std::string* out) override {
    // Each row is on its own line, so that a large document can be read with tools for lines.
    *out += (rows_++ > 0 ? ",\n" : "\n") + JsonRow(row);
  }
  void End(const FormatEnd& end, std::string* out) override {
    *out += fmt::format("],\n\"next\":{},\"row_count\":{}}}\n",
                        end.next.empty() ? "null" : TextOf(end.next), rows_);
  }

 private:
  uint64_t rows_ = 0;  // printed as row_count
};

// Makes column names unique: readers keep only one of two equal keys of an object. The second
// column called `name` becomes name#2.
std::vector<std::string> UniqueNames(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  auto taken = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& column : columns) {
    std::string name = column;
    for (int n = 2; taken(name); ++n) name = fmt::format("{}#{}", column, n);
    names.push_back(name);
  }
  return names;
}

// Leaves out FormatEnd::next: every line of jsonl is a row, and IMPORT would read any other object
// as a record.
class JsonLinesFormatter : public ResultFormatter {
 public:
  explicit JsonLinesFormatter(JsonStrings strings) : strings_(strings) {}
  Status Begin(const std::vector<std::string>& columns, std::string*) override {
    for (const std::string& name : UniqueNames(columns)) keys_.push_back(JsonKey(name));
    return OkStatus();
  }
  void Add(const Row& row, std::string* out) override {
    *out += "{";
    for (size_t i = 0; i < row.size() && i < keys_.size(); ++i) {
      *out += (i > 0 ? "," : "") + keys_[i] + ":" + JsonValue(row[i], strings_);
    }
    *out += "}\n";
  }
  void End(const FormatEnd&, std::string*) override {}

 private:
  JsonStrings strings_;
  std::vector<std::string> keys_;
};

}  // namespace

std::unique_ptr<ResultFormatter> NewJsonFormatter(const FormatOptions&) {
  return std::make_unique<JsonFormatter>();
}
std::unique_ptr<ResultFormatter> NewJsonLinesFormatter(const FormatOptions&) {
  return std::make_unique<JsonLinesFormatter>(JsonStrings::kText);
}
std::unique_ptr<ResultFormatter> NewJsonBase64Formatter(const FormatOptions&) {
  return std::make_unique<JsonLinesFormatter>(JsonStrings::kBase64);
}

}  // namespace sippar::query
