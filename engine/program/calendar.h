// Times as dates of the Gregorian calendar, in UTC or in a time zone. Times are microseconds since
// 1970. Pure, but for the machine's time zone data. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/program/value.h"

namespace sippar::engine {

inline constexpr int64_t kMicrosPerSecond = 1'000'000;
inline constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

// A time is a TIMESTAMP or an INT64 of microseconds.
inline bool IsTime(const Value& value) {
  return value.type() == ValueType::kTimestamp || value.type() == ValueType::kInt64;
}
// Rounds down also for times before 1970. Requires: b > 0.
inline int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

struct CalendarTime {
  std::tm tm{};
  int64_t micros = 0;  // microseconds of the second
};
// RANGE beyond the years that the calendar supports.
[[nodiscard]] Status SplitTime(int64_t time_us, CalendarTime* out);
// The inverse: days since 1970 of a date. Requires: 1 <= month <= 12; `day` may lie outside of it.
int64_t DaysOf(int64_t year, int64_t month, int64_t day);
int64_t DaysInMonth(int64_t year, int64_t month);

// 'UTC', '+01:00', '-8', 'Europe/Berlin'. RANGE if it is none, or unknown on this machine.
[[nodiscard]] StatusOr<absl::TimeZone> FindZone(std::string_view name);
// What the clocks of the zone show, as microseconds since 1970 of the same date in UTC; and back.
int64_t ToLocal(int64_t time_us, const absl::TimeZone& zone);
int64_t FromLocal(int64_t local_us, const absl::TimeZone& zone);

// A unit of the calendar: 'day', 'week(monday)', 'isoyear' …
struct CalendarUnit {
  int64_t micros = 0;     // length of fixed units: microsecond to week; 0: others
  int64_t months = 0;     // month 1, quarter 3, year 12
  int first_weekday = 0;  // of a week: 0 is Sunday
  bool is_week = false;
  bool is_iso_year = false;
};
// UNKNOWN_NAME, with the names that there are. Ignores the case; "days" is "day".
[[nodiscard]] StatusOr<CalendarUnit> FindUnit(std::string_view name);
// The start of the unit that a local time lies in.
[[nodiscard]] StatusOr<int64_t> StartOfUnit(const CalendarUnit& unit, int64_t local_us);

}  // namespace sippar::engine
