// Times as dates of the Gregorian calendar. Times are microseconds since 1970; time_zone.h finds
// the local time of a zone. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/program/value.h"

namespace sippar::engine {

inline constexpr int64_t kMicrosPerSecond = 1'000'000;
inline constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

// True for the years that GoogleSQL has, 0001-01-01 to 9999-12-31.
inline bool IsInYears(int64_t time_us) {
  constexpr int64_t kYear1 = -62'135'596'800, kYear10000 = 253'402'300'800;
  return time_us >= kYear1 * kMicrosPerSecond && time_us < kYear10000 * kMicrosPerSecond;
}

// A time is a TIMESTAMP, an INT64 of microseconds, or a DATE, which is 00:00 UTC of its day.
inline bool IsTime(const Value& value) {
  return value.type() == ValueType::kTimestamp || value.type() == ValueType::kInt64 ||
         value.type() == ValueType::kDate;
}
// The microseconds of a time since 1970. Requires: IsTime(time).
inline int64_t MicrosOf(const Value& time) {
  return time.type() == ValueType::kDate ? time.integer() * kMicrosPerDay : time.integer();
}
// Rounds down also for times before 1970. Requires: b > 0.
inline int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

struct CalendarTime {
  std::tm tm{};
  int64_t micros = 0;  // microseconds since the start of the second
};
// Error RANGE if the time is outside the years that the calendar supports.
[[nodiscard]] Status SplitTime(int64_t time_us, CalendarTime* out);
// The number of days from 1970-01-01 to a date. Requires: 1 <= month <= 12. `day` may lie outside
// the month.
int64_t DaysOf(int64_t year, int64_t month, int64_t day);
int64_t DaysInMonth(int64_t year, int64_t month);
// The Monday that begins an ISO year, as a number of days from 1970-01-01.
int64_t IsoYearStart(int64_t year);

// A unit of the calendar: 'day', 'week(monday)', 'isoyear' …
struct CalendarUnit {
  int64_t micros = 0;     // length in microseconds; 0: the unit is longer than a week
  int64_t months = 0;     // length in months: month 1, quarter 3, year 12
  int first_weekday = 0;  // first day of a week; 0 is Sunday
  bool is_week = false;
  bool is_iso_year = false;
};
// Finds a unit by its name. Ignores case and a plural s ("days"). Error UNKNOWN_NAME lists the
// known names.
[[nodiscard]] StatusOr<CalendarUnit> FindUnit(std::string_view name);
// The start of the unit that a local time lies in.
[[nodiscard]] StatusOr<int64_t> StartOfUnit(const CalendarUnit& unit, int64_t local_us);

}  // namespace sippar::engine
