// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "engine/base/escape.h"
#include "engine/program/value.h"

namespace sippar::engine {
namespace {

// True if the text, printed without quotes inside a collection, could be taken for something else:
// a separator, two members, or NULL. A backslash also needs quotes, as it would seem to begin the
// \xHH of a byte.
bool NeedsQuotes(std::string_view text) {
  if (text.empty() || text == "NULL" || text == "TRUE" || text == "FALSE") return true;
  if (text.find_first_of("\"\\{}[]()") != std::string_view::npos) return true;
  auto at_end = [](char c) { return c == ' ' || c == ',' || c == ':'; };
  return text.front() == ' ' || at_end(text.back()) || text.find(", ") != std::string_view::npos ||
         text.find(": ") != std::string_view::npos;
}

std::string PrintMember(const Value& value) {
  if (!value.is_string()) return value.Print();
  if (!NeedsQuotes(value.bytes())) return PrintEscaped(value.bytes());
  std::string text = "\"";
  std::string_view rest = value.bytes();
  while (!rest.empty()) {
    size_t end = std::min(rest.find_first_of("\"\\"), rest.size());
    text += PrintEscaped(rest.substr(0, end));
    if (end < rest.size()) (text += '\\') += rest[end++];
    rest.remove_prefix(end);
  }
  return text + "\"";
}

std::string PrintItems(const Value::Items& items, char open, char close) {
  std::string text(1, open);
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += ", ";
    text += PrintMember(items[i]);
  }
  text.push_back(close);
  return text;
}

std::string PrintMap(const Value::Items& items) {
  std::string text = "{";
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (i > 0) text += ", ";
    text += PrintMember(items[i]) + ": " + PrintMember(items[i + 1]);
  }
  return text + "}";
}

}  // namespace

std::string PrintEscaped(std::string_view bytes) { return EscapeBytes(bytes, {}); }

std::string PrintDuration(int64_t micros) {
  struct Unit {
    uint64_t micros;
    const char* name;
  };
  static constexpr std::array<Unit, 6> kUnits = {{{86'400'000'000, "d"},
                                                  {3'600'000'000, "h"},
                                                  {60'000'000, "m"},
                                                  {1'000'000, "s"},
                                                  {1'000, "ms"},
                                                  {1, "us"}}};
  if (micros == 0) return "0us";
  std::string text = micros < 0 ? "-" : "";
  // Unsigned, since the lowest INT64 has no positive counterpart.
  uint64_t left = micros < 0 ? 0 - static_cast<uint64_t>(micros) : static_cast<uint64_t>(micros);
  for (const Unit& unit : kUnits) {
    if (left >= unit.micros) text += fmt::format("{}{}", left / unit.micros, unit.name);
    left %= unit.micros;
  }
  return text;
}

std::string PrintDate(int64_t days) {
  std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string PrintTimestamp(int64_t micros) {
  constexpr int64_t kSecond = 1'000'000;
  int64_t seconds = micros / kSecond;
  int64_t fraction = micros % kSecond;
  // Division rounds towards zero. Before 1970 the whole seconds must be rounded down instead.
  if (fraction < 0) {
    fraction += kSecond;
    --seconds;
  }
  constexpr int64_t kDay = 86'400;
  int64_t days = seconds / kDay;
  int64_t second = seconds % kDay;
  if (second < 0) {
    second += kDay;
    --days;
  }
  // A date outside the range of std::chrono's year would be wrong, so the number itself is printed.
  if (days < -12'000'000 || days > 11'000'000) return fmt::format("{}us", micros);
  std::string text = fmt::format("{}T{:02}:{:02}:{:02}", PrintDate(days), second / 3600,
                                 second / 60 % 60, second % 60);
  if (fraction != 0) {
    std::string digits = fmt::format("{:06}", fraction);
    while (digits.back() == '0') digits.pop_back();
    text += "." + digits;
  }
  return text + "Z";
}

std::string PrintFloat(double value) {
  if (std::isnan(value)) return "nan";          // its sign means nothing
  std::string text = fmt::format("{}", value);  // shortest text that reads back
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text;
}

std::string Value::Print() const {
  switch (type_) {
    case ValueType::kNull:
      return "NULL";
    case ValueType::kBool:
      return integer_ != 0 ? "TRUE" : "FALSE";
    case ValueType::kInt64:
      return fmt::format("{}", integer_);
    case ValueType::kFloat64:
      return PrintFloat(real_);
    case ValueType::kBytes:
    case ValueType::kText:
      return PrintEscaped(bytes_);
    case ValueType::kTimestamp:
      return PrintTimestamp(integer_);
    case ValueType::kDuration:
      return PrintDuration(integer_);
    case ValueType::kDate:
      return PrintDate(integer_);
    case ValueType::kArray:
      return PrintItems(items(), '[', ']');
    case ValueType::kStruct:
      return PrintItems(items(), '(', ')');
    case ValueType::kMap:
      return PrintMap(items());
  }
  return "?";
}

}  // namespace sippar::engine
