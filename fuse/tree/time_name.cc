// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/time_name.h"

#include <charconv>
#include <chrono>

#include "engine/model/cell.h"

namespace sippar::fuse {
namespace {

constexpr int64_t kDayMicros = 86'400'000'000;

// Takes exactly `digits` decimal digits and then the character `end` ('\0': no character) from
// *text.
bool TakeNumber(std::string_view* text, size_t digits, char end, int* value) {
  size_t size = digits + (end == '\0' ? 0 : 1);
  if (text->size() < size || (end != '\0' && (*text)[digits] != end)) return false;
  *value = 0;
  for (char c : text->substr(0, digits)) {
    if (c < '0' || c > '9') return false;
    *value = *value * 10 + (c - '0');
  }
  text->remove_prefix(size);
  return true;
}

// Takes an optional fraction such as ".5" or ".123456".
bool TakeFraction(std::string_view* text, int* micros) {
  *micros = 0;
  if (text->empty() || text->front() != '.') return true;
  text->remove_prefix(1);
  size_t digits = 0;
  while (digits < text->size() && (*text)[digits] >= '0' && (*text)[digits] <= '9') ++digits;
  if (digits == 0 || digits > 6) return false;
  std::string padded(text->substr(0, digits));
  padded.resize(6, '0');
  std::string_view rest = padded;
  text->remove_prefix(digits);
  return TakeNumber(&rest, 6, '\0', micros);
}

// Microseconds since midnight of a text such as "T12:30:00Z"; the seconds may have a fraction.
std::optional<int64_t> ParseTimeOfDay(std::string_view text) {
  int hour = 0, minute = 0, second = 0, micros = 0;
  if (!text.starts_with('T')) return std::nullopt;
  text.remove_prefix(1);
  bool ok = TakeNumber(&text, 2, ':', &hour) && TakeNumber(&text, 2, ':', &minute) &&
            TakeNumber(&text, 2, '\0', &second) && TakeFraction(&text, &micros);
  if (!ok || text != "Z" || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return ((hour * 60 + minute) * 60 + second) * int64_t{1'000'000} + micros;
}

}  // namespace

std::string PrintTime(int64_t timestamp_us) { return std::to_string(timestamp_us); }

std::optional<int64_t> ParseTime(std::string_view name) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  // Printed again to reject "+3", "03" and "-0": a time must have only one name.
  if (value == engine::kServerTime || PrintTime(value) != name) return std::nullopt;
  return value;
}

std::optional<int64_t> ParseTimeAlias(std::string_view name, int64_t now_us) {
  if (name == "now") return now_us;
  int year = 0, month = 0, day = 0;
  if (!TakeNumber(&name, 4, '-', &year) || !TakeNumber(&name, 2, '-', &month) ||
      !TakeNumber(&name, 2, '\0', &day)) {
    return std::nullopt;
  }
  std::chrono::year_month_day date{std::chrono::year(year),
                                   std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  std::optional<int64_t> time_of_day = name.empty() ? 0 : ParseTimeOfDay(name);
  if (!time_of_day) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * kDayMicros + *time_of_day;
}

}  // namespace sippar::fuse
