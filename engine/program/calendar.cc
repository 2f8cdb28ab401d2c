// SPDX-License-Identifier: Apache-2.0
#include "engine/program/calendar.h"

#include <absl/time/civil_time.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "engine/base/thread.h"
#include "engine/program/program_error.h"

namespace sippar::engine {
namespace {

constexpr int64_t kDaysMax = 11'000'000;  // within the years of std::chrono, -32767 to 32767

int YearOf(int64_t days) {
  return static_cast<int>(
      std::chrono::year_month_day{std::chrono::sys_days{std::chrono::days{days}}}.year());
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower;
}

// A zone name becomes a file name, so a name that could leave the folder of the zones is refused.
bool MayBeZone(std::string_view name) {
  constexpr size_t kSizeMax = 40;
  constexpr std::string_view kSigns =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
  return !name.empty() && name.size() <= kSizeMax && name[0] >= 'A' && name[0] <= 'Z' &&
         name.find_first_not_of(kSigns) == name.npos;
}

// The library keeps each name that it was ever asked for, also those that do not exist. Names may
// come from cells, so after many wrong names only the zones that were found before are looked up.
bool LoadZone(const std::string& name, absl::TimeZone* zone) {
  constexpr size_t kWrongMax = 10'000;
  struct Names {
    Mutex mutex;
    std::set<std::string> found GUARDED_BY(mutex);
    size_t wrong GUARDED_BY(mutex) = 0;
  };
  static Names& names = *new Names;
  MutexLock lock(&names.mutex);
  if (names.wrong >= kWrongMax && !names.found.contains(name)) return false;
  if (absl::LoadTimeZone(name, zone)) {
    names.found.insert(name);
    return true;
  }
  ++names.wrong;
  return false;
}

// Time zone data has a resolution of seconds; the fraction of a second is the same in every zone.
absl::Time WholeSeconds(int64_t time_us, int64_t* rest_us) {
  const int64_t seconds = FloorDiv(time_us, kMicrosPerSecond);
  *rest_us = time_us - seconds * kMicrosPerSecond;
  return absl::FromUnixSeconds(seconds);
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

bool ReadOffset(std::string_view text, int* seconds) {
  if (!text.starts_with('+') && !text.starts_with('-')) return false;
  const int sign = text[0] == '-' ? -1 : 1;
  std::string digits(text.substr(1));
  if (const size_t colon = digits.find(':'); colon != std::string::npos) {
    // The minutes have two digits, so +8:00 is +0800.
    if (colon < 1 || colon > 2 || digits.size() != colon + 3) return false;
    digits.erase(colon, 1);
    if (colon == 1) digits.insert(0, "0");
  }
  if (digits.find_first_not_of("0123456789") != std::string::npos) return false;
  if (digits.size() == 1) digits.insert(0, "0");
  if (digits.size() == 2) digits += "00";
  if (digits.size() != 4) return false;
  const int hours = (digits[0] - '0') * 10 + digits[1] - '0';
  const int minutes = (digits[2] - '0') * 10 + digits[3] - '0';
  *seconds = sign * (hours * 3600 + minutes * 60);
  return minutes <= 59 && hours * 60 + minutes <= 18 * 60;
}

StatusOr<absl::TimeZone> FindZone(std::string_view name) {
  if (LowerCase(name) == "utc") return absl::UTCTimeZone();
  int offset = 0;
  constexpr int kOffsetMax = 14 * 3600 + 59 * 60;
  if (ReadOffset(name, &offset) && std::abs(offset) <= kOffsetMax) {
    return absl::FixedTimeZone(offset);
  }
  absl::TimeZone zone;
  if (MayBeZone(name) && LoadZone(std::string(name), &zone)) return zone;
  return ProgramError("RANGE", fmt::format("time zone '{:.60}' is unknown", PrintEscaped(name)),
                      "'UTC', '+01:00', 'Europe/Berlin'");
}

int64_t ToLocal(int64_t time_us, const absl::TimeZone& zone) {
  int64_t rest = 0;
  return time_us + zone.At(WholeSeconds(time_us, &rest)).offset * kMicrosPerSecond;
}

int64_t FromLocal(int64_t local_us, const absl::TimeZone& zone) {
  int64_t rest = 0;
  const absl::CivilSecond civil =
      absl::ToCivilSecond(WholeSeconds(local_us, &rest), absl::UTCTimeZone());
  // For a time in an hour that clocks skip or repeat, uses the offset from before the change.
  return absl::ToUnixSeconds(zone.At(civil).pre) * kMicrosPerSecond + rest;
}

StatusOr<CalendarUnit> FindUnit(std::string_view name) {
  std::string word = LowerCase(name);
  static constexpr std::array<std::pair<std::string_view, int64_t>, 6> kFixed = {
      {{"microsecond", 1},
       {"millisecond", 1'000},
       {"second", kMicrosPerSecond},
       {"minute", 60 * kMicrosPerSecond},
       {"hour", 3600 * kMicrosPerSecond},
       {"day", kMicrosPerDay}}};
  for (size_t i = 0; i < kWeekdays.size(); ++i) {
    if (word == fmt::format("week({})", kWeekdays[i])) return Week(static_cast<int>(i));
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
