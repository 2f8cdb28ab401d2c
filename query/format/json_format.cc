// json (one document: columns, rows, next) and jsonl (one object per row). Bytes that are not UTF-8
// appear as \xHH inside the string. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "query/format/formatters.h"
#include "query/syntax/literals.h"

namespace sippar::query {
namespace {

using engine::Row;
using engine::Value;
using engine::ValueType;

std::string JsonString(std::string_view bytes) {
  std::string text = IsUtf8(bytes) ? std::string(bytes) : engine::PrintEscaped(bytes);
  std::string out = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    bool c1 = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (byte == '"' || byte == '\\') {
      out.push_back('\\');
      out.push_back(text[i]);
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", byte);
    } else if (c1) {  // C1 controls drive terminals
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[++i]));
    } else {
      out.push_back(text[i]);
    }
  }
  return out + "\"";
}

std::string JsonValue(const Value& value);

std::string JsonMap(const Value::Items& items) {
  std::string out = "{";
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (i > 0) out += ",";
    out += items[i].is_string() ? JsonString(items[i].bytes()) : JsonString(items[i].Print());
    out += ":" + JsonValue(items[i + 1]);
  }
  return out + "}";
}

std::string JsonList(const Value::Items& items) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += (i > 0 ? "," : "") + JsonValue(items[i]);
  return out + "]";
}

std::string JsonValue(const Value& value) {
  switch (value.type()) {
    case ValueType::kNull:
      return "null";
    case ValueType::kBool:
      return value.integer() != 0 ? "true" : "false";
    case ValueType::kInt64:
      return fmt::format("{}", value.integer());
    case ValueType::kFloat64:  // JSON has no infinity
      return std::isfinite(value.real()) ? value.Print() : JsonString(value.Print());
    case ValueType::kBytes:
    case ValueType::kText:
      return JsonString(value.bytes());
    case ValueType::kMap:
      return JsonMap(value.items());
    case ValueType::kArray:
      return JsonList(value.items());
    case ValueType::kStruct:
      if (value.items().size() != 2) return JsonList(value.items());
      return fmt::format("{{\"timestamp\":{},\"value\":{}}}", JsonValue(value.items()[0]),
                         JsonValue(value.items()[1]));
    default:
      return JsonString(value.Print());
  }
}

class JsonFormatter : public ResultFormatter {
 public:
  Status Begin(const std::vector<std::string>& columns, std::string* out) override {
    *out += "{\"columns\":[";
    for (size_t i = 0; i < columns.size(); ++i) *out += (i > 0 ? "," : "") + JsonString(columns[i]);
    *out += "],\"rows\":[";
    return OkStatus();
  }
  void Add(const Row& row, std::string* out) override {
    *out += (rows_++ > 0 ? ",\n" : "\n") + JsonList(row);
  }
  void End(const FormatEnd& end, std::string* out) override {
    *out += fmt::format("],\n\"next\":{},\"row_count\":{}}}\n",
                        end.next.empty() ? "null" : JsonString(end.next), rows_);
  }

 private:
  uint64_t rows_ = 0;
};

class JsonLinesFormatter : public ResultFormatter {
 public:
  Status Begin(const std::vector<std::string>& columns, std::string*) override {
    for (const std::string& column : columns) names_.push_back(JsonString(column));
    return OkStatus();
  }
  void Add(const Row& row, std::string* out) override {
    *out += "{";
    for (size_t i = 0; i < row.size() && i < names_.size(); ++i) {
      *out += (i > 0 ? "," : "") + names_[i] + ":" + JsonValue(row[i]);
    }
    *out += "}\n";
  }
  void End(const FormatEnd&, std::string*) override {}

 private:
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<ResultFormatter> NewJsonFormatter(const FormatOptions&) {
  return std::make_unique<JsonFormatter>();
}
std::unique_ptr<ResultFormatter> NewJsonLinesFormatter(const FormatOptions&) {
  return std::make_unique<JsonLinesFormatter>();
}

}  // namespace sippar::query
