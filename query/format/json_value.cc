// SPDX-License-Identifier: Apache-2.0
#include "query/format/json_value.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include <cmath>

#include "engine/base/printable.h"
#include "engine/base/utf8.h"

namespace sippar::query {
namespace {

using engine::Value;
using engine::ValueType;

// \uXXXX for one character; a character above U+FFFF needs a surrogate pair.
std::string EscapedCode(uint32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  code -= 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (code >> 10), 0xdc00 + (code & 0x3ff));
}

std::string Base64(std::string_view bytes) {
  return absl::Base64Escape({bytes.data(), bytes.size()});
}

// Prints a text as a JSON string: the name of a float such as NaN, a time, or the key of a map.
std::string JsonWord(std::string_view text, JsonStrings strings) {
  return strings == JsonStrings::kBase64 ? '"' + Base64(text) + '"' : JsonText(text);
}

std::string JsonBytes(std::string_view bytes, JsonStrings strings) {
  if (strings == JsonStrings::kBase64) return JsonWord(bytes, strings);
  // The bytes alone decide the form, not whether the type is TEXT or BYTES: a cell's value has type
  // BYTES even if it holds a text, and users want to read the text.
  if (engine::IsUtf8(bytes)) return JsonText(bytes);
  return fmt::format("{{\"{}\":\"{}\"}}", kBase64Mark, Base64(bytes));
}

std::string JsonFloat(double value, JsonStrings strings) {
  // PrintFloat gives digits that are read back to the same double.
  if (std::isfinite(value)) return engine::PrintFloat(value);
  return JsonWord(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity", strings);
}

std::string JsonMap(const Value::Items& items, JsonStrings strings) {
  std::string out = "{";
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (i > 0) out += ",";
    std::string key = items[i].is_string() ? items[i].bytes() : items[i].Print();
    out += strings == JsonStrings::kBase64 ? JsonWord(key, strings) : JsonKey(key);
    out += ":" + JsonValue(items[i + 1], strings);
  }
  return out + "}";
}

std::string JsonList(const Value::Items& items, JsonStrings strings) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i)
    out += (i > 0 ? "," : "") + JsonValue(items[i], strings);
  return out + "]";
}

}  // namespace

std::string JsonText(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    engine::Utf8Character first = engine::FirstCharacter(text);
    // A malformed byte is taken alone, as the character whose code point is the value of the byte.
    if (first.size == 0) first = {static_cast<unsigned char>(text[0]), 1};
    const bool control = engine::PrintableSequence(text) == 0;
    const std::string_view sequence = text.substr(0, first.size);
    text.remove_prefix(first.size);
    if (sequence == "\n" || sequence == "\t") {
      out += sequence == "\n" ? "\\n" : "\\t";
    } else if (control || engine::IsHiddenSequence(sequence)) {
      out += EscapedCode(first.code);
    } else {
      if (sequence == "\"" || sequence == "\\") out.push_back('\\');
      out += sequence;
    }
  }
  return out + "\"";
}

std::string JsonKey(std::string_view name) {
  // A name that begins with $base64 is encoded, too: otherwise a reader would decode it although it
  // was not encoded.
  if (engine::IsUtf8(name) && !name.starts_with(kBase64Mark)) return JsonText(name);
  return fmt::format("\"{}:{}\"", kBase64Mark, Base64(name));
}

std::string JsonValue(const Value& value, JsonStrings strings) {
  switch (value.type()) {
    case ValueType::kNull:
      return "null";
    case ValueType::kBool:
      return value.integer() != 0 ? "true" : "false";
    case ValueType::kInt64:
      return fmt::format("{}", value.integer());
    case ValueType::kFloat64:
      return JsonFloat(value.real(), strings);
    case ValueType::kBytes:
    case ValueType::kText:
      return JsonBytes(value.bytes(), strings);
    case ValueType::kMap:
      return JsonMap(value.items(), strings);
    case ValueType::kArray:
      return JsonList(value.items(), strings);
    case ValueType::kStruct:
      // A STRUCT is a version of a cell, (timestamp, value); the STRUCTs that a statement makes are
      // MAPs (engine/program/data_type.h).
      if (value.items().size() != 2) return JsonList(value.items(), strings);
      return fmt::format("{{\"timestamp\":{},\"value\":{}}}", JsonValue(value.items()[0], strings),
                         JsonValue(value.items()[1], strings));
    case ValueType::kTimestamp:
    case ValueType::kDuration:
    case ValueType::kDate:
      break;
  }
  return JsonWord(value.Print(), strings);
}

}  // namespace sippar::query
