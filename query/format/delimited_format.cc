// csv (RFC 4180) and tsv. Stable for any bytes: what is not UTF-8 appears as \xHH. In csv a NULL is
// an empty field and an empty value is ""; in tsv a NULL is \N. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/format/formatters.h"
#include "query/syntax/literals.h"

namespace sippar::query {
namespace {

using engine::Row;
using engine::Value;

// Newlines and tabs stay: inside quotes they are legal csv.
std::string CsvText(std::string_view bytes) {
  bool text = IsUtf8(bytes);
  std::string out;
  for (size_t i = 0; i < bytes.size(); ++i) {
    char c = bytes[i];
    auto byte = static_cast<unsigned char>(c);
    bool control = (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7f;
    if (text && byte == 0xc2 && static_cast<unsigned char>(bytes[i + 1]) < 0xa0) {
      out += fmt::format("\\xc2\\x{:02x}", static_cast<unsigned char>(bytes[++i]));  // C1 control
      continue;
    }
    if (control || (byte >= 0x80 && !text)) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string CsvField(const Value& value) {
  if (value.is_null()) return "";
  std::string text = value.is_string() ? CsvText(value.bytes()) : value.Print();
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

std::string TsvField(const Value& value) {
  if (value.is_null()) return "\\N";
  return value.is_string() ? EscapeField(value.bytes()) : EscapeField(value.Print());
}

template <std::string (*kField)(const Value&), char kSeparator>
class DelimitedFormatter : public ResultFormatter {
 public:
  explicit DelimitedFormatter(const FormatOptions& options) : header_(options.header) {}
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
      *out += kField(row[i]);
    }
    out->push_back('\n');
  }
  void End(const FormatEnd&, std::string*) override {}

 private:
  bool header_;
};

}  // namespace

std::string EscapeField(std::string_view bytes) {
  std::string out;
  size_t plain = 0;  // what lies before needs PrintEscaped only
  auto flush = [&](size_t end) { out += engine::PrintEscaped(bytes.substr(plain, end - plain)); };
  for (size_t i = 0; i < bytes.size(); ++i) {
    char c = bytes[i];
    if (c != '\\' && c != '\t' && c != '\n' && c != '\r') continue;
    flush(i);
    plain = i + 1;
    out.push_back('\\');
    out.push_back(c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : '\\');
  }
  flush(bytes.size());
  return out;
}

std::unique_ptr<ResultFormatter> NewCsvFormatter(const FormatOptions& options) {
  return std::make_unique<DelimitedFormatter<CsvField, ','>>(options);
}
std::unique_ptr<ResultFormatter> NewTsvFormatter(const FormatOptions& options) {
  return std::make_unique<DelimitedFormatter<TsvField, '\t'>>(options);
}

}  // namespace sippar::query
