// SPDX-License-Identifier: Apache-2.0
#include "engine/program/pattern_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/program/calendar.h"
#include "engine/program/time_zone.h"

namespace sippar::engine {
namespace {

struct Date {
  int64_t year = 1970, month = 1, day = 1;
};

bool Fail(std::string* problem, std::string text) {
  *problem = std::move(text);
  return false;
}

int64_t DaysInYear(int64_t year) { return DaysOf(year + 1, 1, 1) - DaysOf(year, 1, 1); }

// 0 is Sunday. 1970-01-01 was a Thursday.
int64_t WeekdayOf(int64_t days) { return days + 4 - FloorDiv(days + 4, 7) * 7; }

int64_t YearOf(const PatternFields& f) {
  const bool full = f.year.place > std::max(f.century.place, f.year_of_century.place);
  if (full) return f.year.value;
  if (f.century.place == 0 && f.year_of_century.place == 0) return 1970;
  const int64_t of_century = f.year_of_century.place > 0 ? f.year_of_century.value : 0;
  if (f.century.place > 0) return f.century.value * 100 + of_century;
  return of_century + (of_century < 69 ? 2000 : 1900);
}

int YearPlace(const PatternFields& f) {
  return std::max({f.year.place, f.century.place, f.year_of_century.place});
}

// The day that a day of the year or a week tells. A week without a weekday means its first day.
bool DayOfWeekOrYear(const PatternFields& f, int64_t year, int64_t* days, std::string* problem) {
  const int64_t january_1 = DaysOf(year, 1, 1);
  if (f.week.place == 0) {
    *days = january_1 + f.day_of_year.value - 1;
    return f.day_of_year.value <= DaysInYear(year) ||
           Fail(problem, fmt::format("{} has {} days", year, DaysInYear(year)));
  }
  const int64_t week_1 = january_1 + (f.first_weekday - WeekdayOf(january_1) + 7) % 7;
  *days = week_1 + 7 * (f.week.value - 1);
  if (*days + 6 < january_1 || *days >= january_1 + DaysInYear(year)) {
    return Fail(problem, fmt::format("{} has no week {}", year, f.week.value));
  }
  if (f.weekday.place > 0) *days += (f.weekday.value - f.first_weekday + 7) % 7;
  return true;
}

// Replaces the parts of *date that no element after `place` told.
void Replace(const PatternFields& f, int place, int64_t days, Date* date) {
  CalendarTime parts;
  // The years of a pattern have four digits, so the calendar supports the day.
  if (!SplitTime(days * kMicrosPerDay, &parts).ok()) return;
  if (YearPlace(f) < place) date->year = parts.tm.tm_year + 1900;
  if (f.month.place < place) date->month = parts.tm.tm_mon + 1;
  if (f.day.place < place) date->day = parts.tm.tm_mday;
}

bool DaysOfCalendar(PatternFields f, int64_t* days, std::string* problem) {
  Date date;
  date.year = YearOf(f);
  if (f.month.place > 0) date.month = f.month.value;
  if (f.day.place > 0) date.day = f.day.value;
  // Of a week and a day of the year the later one counts, but a week alone tells no day.
  const bool day_wins = f.day_of_year.place > f.week.place || f.weekday.place == 0;
  if (f.day_of_year.place > 0 && day_wins) f.week.place = 0;
  const int place = f.week.place > 0 ? f.week.place : f.day_of_year.place;
  if (place > 0) {
    if (!DayOfWeekOrYear(f, date.year, days, problem)) return false;
    Replace(f, place, *days, &date);
  }
  if (date.day > DaysInMonth(date.year, date.month)) {
    return Fail(problem, fmt::format("{}-{} has no day {}", date.year, date.month, date.day));
  }
  *days = DaysOf(date.year, date.month, date.day);
  return true;
}

bool DaysOfIsoYear(const PatternFields& f, int64_t* days, std::string* problem) {
  const int64_t year = f.iso_year.value;
  const int64_t length = IsoYearStart(year + 1) - IsoYearStart(year);
  *days = IsoYearStart(year);
  const bool day_wins = f.iso_day.place > f.iso_week.place || f.weekday.place == 0;
  if (f.iso_day.place > 0 && day_wins) {
    *days += f.iso_day.value - 1;
    return f.iso_day.value <= length ||
           Fail(problem, fmt::format("the ISO year {} has {} days", year, length));
  }
  if (f.iso_week.place == 0) return true;
  *days += 7 * (f.iso_week.value - 1);
  if (f.weekday.place > 0) *days += (f.weekday.value + 6) % 7;
  return f.iso_week.value * 7 <= length ||
         Fail(problem, fmt::format("the ISO year {} has {} weeks", year, length / 7));
}

int64_t TimeOfDay(const PatternFields& f) {
  int64_t hour = f.hour.value;
  if (f.twelve_hours) hour = hour % 12 + (f.afternoon ? 12 : 0);
  return (hour * 3600 + f.minute.value * 60 + f.second.value) * kMicrosPerSecond + f.micros;
}

}  // namespace

bool TimeOfFields(const PatternFields& f, int64_t* micros, std::string* problem) {
  if (f.epoch.place > 0) {
    *micros = f.epoch.value * kMicrosPerSecond;
  } else {
    const bool calendar =
        std::max({YearPlace(f), f.month.place, f.day.place, f.day_of_year.place, f.week.place}) > 0;
    int64_t days = 0;
    const bool iso = !calendar && f.iso_year.place > 0;
    if (!(iso ? DaysOfIsoYear(f, &days, problem) : DaysOfCalendar(f, &days, problem))) return false;
    const int64_t local = days * kMicrosPerDay + TimeOfDay(f);
    *micros = f.offset ? local - *f.offset * kMicrosPerSecond : FromLocal(local, f.zone);
  }
  return IsInYears(*micros) || Fail(problem, "the time is not in the years 1 to 9999");
}

}  // namespace sippar::engine
