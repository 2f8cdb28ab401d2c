// SPDX-License-Identifier: Apache-2.0
#include "engine/program/calendar.h"

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "engine/program/program_error.h"

namespace sippar::engine {
namespace {

constexpr int64_t kDaysMax = 11'000'000;  // within the years of std::chrono, -32767 to 32767

int YearOf(int64_t days) {
  return static_cast<int>(
      std::chrono::year_month_day{std::chrono::sys_days{std::chrono::days{days}}}.year());
}

constexpr std::array<std::string_view, 7> kWeekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                       "thursday", "friday", "saturday"};

CalendarUnit Fixed(int64_t micros) {
  CalendarUnit unit;
  unit.micros = micros;
  return unit;
}
CalendarUnit Months(int64_t months) {
  CalendarUnit unit;
  unit.months = months;
  return unit;
}
CalendarUnit Week(int first_weekday) {
  CalendarUnit unit = Fixed(7 * kMicrosPerDay);
  unit.is_week = true;
  unit.first_weekday = first_weekday;
  return unit;
}
CalendarUnit IsoYear() {
  CalendarUnit unit;
  unit.is_iso_year = true;
  return unit;
}

}  // namespace

Status SplitTime(int64_t time_us, CalendarTime* out) {
  int64_t days = FloorDiv(time_us, kMicrosPerDay);
  if (days > kDaysMax || days < -kDaysMax) {
    return ProgramError(
        "RANGE", fmt::format("time {} is outside the years {} to {}, which the calendar supports",
                             time_us, YearOf(-kDaysMax), YearOf(kDaysMax)));
  }
  int64_t rest = time_us - days * kMicrosPerDay;
  std::chrono::sys_days day{std::chrono::days{days}};
  std::chrono::year_month_day date{day};
  auto year_start = std::chrono::sys_days{date.year() / std::chrono::January / 1};
  out->micros = rest % kMicrosPerSecond;
  int second = static_cast<int>(rest / kMicrosPerSecond);
  out->tm.tm_year = static_cast<int>(date.year()) - 1900;
  out->tm.tm_mon = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
  out->tm.tm_mday = static_cast<int>(static_cast<unsigned>(date.day()));
  out->tm.tm_hour = second / 3600;
  out->tm.tm_min = second / 60 % 60;
  out->tm.tm_sec = second % 60;
  out->tm.tm_wday = static_cast<int>(std::chrono::weekday{day}.c_encoding());
  out->tm.tm_yday = static_cast<int>((day - year_start).count());
  out->tm.tm_zone = "UTC";
  return OkStatus();
}

int64_t DaysOf(int64_t year, int64_t month, int64_t day) {
  const std::chrono::year_month_day first{std::chrono::year{static_cast<int>(year)},
                                          std::chrono::month{static_cast<unsigned>(month)},
                                          std::chrono::day{1}};
  return std::chrono::sys_days{first}.time_since_epoch().count() + day - 1;
}

int64_t DaysInMonth(int64_t year, int64_t month) {
  return month == 12 ? 31 : DaysOf(year, month + 1, 1) - DaysOf(year, month, 1);
}

int64_t IsoYearStart(int64_t year) {
  // Week 1 is the week that has January 4th.
  const int64_t january_4 = DaysOf(year, 1, 4);
  return january_4 - (january_4 + 3 - FloorDiv(january_4 + 3, 7) * 7);  // 1970-01-01 was a Thursday
}

StatusOr<CalendarUnit> FindUnit(std::string_view name) {
  std::string word = absl::AsciiStrToLower({name.data(), name.size()});
  static constexpr std::array<std::pair<std::string_view, int64_t>, 6> kFixed = {
      {{"microsecond", 1},
       {"millisecond", 1'000},
       {"second", kMicrosPerSecond},
       {"minute", 60 * kMicrosPerSecond},
       {"hour", 3600 * kMicrosPerSecond},
       {"day", kMicrosPerDay}}};
  if (word.starts_with("week(")) {
    for (size_t i = 0; i < kWeekdays.size(); ++i) {
      if (word == fmt::format("week({})", kWeekdays[i])) return Week(static_cast<int>(i));
    }
  }
  if (word.size() > 1 && word.back() == 's') word.pop_back();
  for (const auto& [unit, micros] : kFixed) {
    if (word == unit) return Fixed(micros);
  }
  if (word == "week") return Week(0);
  if (word == "isoweek") return Week(1);
  if (word == "month") return Months(1);
  if (word == "quarter") return Months(3);
  if (word == "year") return Months(12);
  if (word == "isoyear") return IsoYear();
  return ProgramError("UNKNOWN_NAME",
                      fmt::format("'{:.60}' is not a unit of time", PrintEscaped(name)),
                      "microsecond, millisecond, second, minute, hour, day, week, week(monday), "
                      "isoweek, month, quarter, year, isoyear");
}

StatusOr<int64_t> StartOfUnit(const CalendarUnit& unit, int64_t local_us) {
  CalendarTime parts;
  RETURN_IF_ERROR(SplitTime(local_us, &parts));
  const int64_t day = FloorDiv(local_us, kMicrosPerDay);
  if (unit.is_week) {
    const int64_t before = (parts.tm.tm_wday - unit.first_weekday + 7) % 7;
    return (day - before) * kMicrosPerDay;
  }
  if (unit.micros > 0) return FloorDiv(local_us, unit.micros) * unit.micros;
  const int64_t year = parts.tm.tm_year + 1900;
  if (unit.is_iso_year) {
    // The ISO year of a day is the calendar year of the Thursday in its week.
    int64_t iso_year = year;
    if (day < IsoYearStart(iso_year)) --iso_year;
    if (day >= IsoYearStart(iso_year + 1)) ++iso_year;
    return IsoYearStart(iso_year) * kMicrosPerDay;
  }
  const int64_t month = parts.tm.tm_mon - parts.tm.tm_mon % unit.months + 1;
  return DaysOf(year, month, 1) * kMicrosPerDay;
}

}  // namespace sippar::engine
