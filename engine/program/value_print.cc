// Values as plain text. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>

#include "engine/program/value.h"

namespace sippar::engine {
namespace {

// Length of the valid UTF-8 sequence at the start of `text`, 0 when there is none. Surrogates,
// overlong forms and control characters (also C1) are not taken as printable.
size_t PrintableSequence(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  auto follows = [&](size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  if (first >= 0xc2 && first < 0xe0) {
    return follows(1) && !(first == 0xc2 && byte(1) < 0xa0) ? 2 : 0;
  }
  if (first >= 0xe0 && first < 0xf0) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) >= 0xa0) return 0;
    return 3;
  }
  if (first >= 0xf0 && first < 0xf5) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

std::string PrintItems(const Value::Items& items, char open, char close) {
  std::string text(1, open);
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += ", ";
    text += items[i].Print();
  }
  text.push_back(close);
  return text;
}

std::string PrintMap(const Value::Items& items) {
  std::string text = "{";
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (i > 0) text += ", ";
    std::string key = items[i].Print();
    text += key.empty() ? "\"\"" : key;
    text += ": " + items[i + 1].Print();
  }
  return text + "}";
}

}  // namespace

std::string PrintEscaped(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    size_t size = PrintableSequence(bytes);
    if (size == 0) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
      size = 1;
    } else {
      text.append(bytes.substr(0, size));
    }
    bytes.remove_prefix(size);
  }
  return text;
}

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
  uint64_t left = micros < 0 ? 0 - static_cast<uint64_t>(micros) : static_cast<uint64_t>(micros);
  for (const Unit& unit : kUnits) {
    if (left >= unit.micros) text += fmt::format("{}{}", left / unit.micros, unit.name);
    left %= unit.micros;
  }
  return text;
}

std::string PrintTimestamp(int64_t micros) {
  constexpr int64_t kSecond = 1'000'000;
  int64_t seconds = micros / kSecond;
  int64_t fraction = micros % kSecond;
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
  // Beyond what std::chrono's year holds the bare number is the honest form.
  if (days < -12'000'000 || days > 11'000'000) return fmt::format("{}us", micros);
  std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  second / 3600, second / 60 % 60, second % 60);
  if (fraction != 0) {
    std::string digits = fmt::format("{:06}", fraction);
    while (digits.back() == '0') digits.pop_back();
    text += "." + digits;
  }
  return text + "Z";
}

std::string PrintFloat(double value) {
  std::string text = fmt::format("{}", value);  // shortest that reads back
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
