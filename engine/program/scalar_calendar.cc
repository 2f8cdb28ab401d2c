// Functions that split, shift, format and parse times, in UTC or a time zone.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "engine/program/calendar.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

Value TimeLike(const Value& time, int64_t micros) {
  return time.type() == kTimestamp ? Value::Timestamp(micros) : Value::Int64(micros);
}

Status TimeOverflow(const CallSite& site) {
  return ProgramError("OVERFLOW", fmt::format("the result of {} does not fit into 64 bits",
                                              FindFunction(site.function)->name));
}

// The zone that args[index] names; UTC if there is no such argument.
StatusOr<absl::TimeZone> ZoneOf(Arguments args, size_t index) {
  if (index >= args.size()) return absl::UTCTimeZone();
  return FindZone(args[index]->bytes());
}

bool IsPartOfTime(Arguments args) {
  return args[0]->is_string() && IsTime(*args[1]) && (args.size() == 2 || args[2]->is_string());
}

// --- DATE_PART ---

// The number of the week that the day is in. Days before the first week of a year are in week 0.
int64_t WeekOf(const std::tm& tm, int first_weekday) {
  return (tm.tm_yday + 7 - (tm.tm_wday - first_weekday + 7) % 7) / 7;
}

int64_t IsoPart(const std::tm& tm, const char* pattern) {
  std::array<char, 32> buffer{};
  std::strftime(buffer.data(), buffer.size(), pattern, &tm);
  return std::strtoll(buffer.data(), nullptr, 10);
}

std::optional<int64_t> FindPart(std::string_view name, const CalendarTime& time, int64_t epoch) {
  const std::tm& tm = time.tm;
  const std::array<std::pair<std::string_view, int64_t>, 17> values = {
      {{"year", tm.tm_year + 1900},
       {"month", tm.tm_mon + 1},
       {"day", tm.tm_mday},
       {"hour", tm.tm_hour},
       {"minute", tm.tm_min},
       {"second", tm.tm_sec},
       {"millisecond", time.micros / 1000},
       {"microsecond", time.micros},
       {"quarter", tm.tm_mon / 3 + 1},
       {"week", WeekOf(tm, 0)},
       {"isoweek", IsoPart(tm, "%V")},
       {"isoyear", IsoPart(tm, "%G")},
       {"dow", tm.tm_wday},
       {"dayofweek", tm.tm_wday + 1},
       {"doy", tm.tm_yday + 1},
       {"dayofyear", tm.tm_yday + 1},
       {"epoch", epoch}}};
  for (const auto& [part, value] : values) {
    if (part == name) return value;
  }
  auto unit = FindUnit(name);  // a week with a first day, such as week(monday)
  if (unit.ok() && unit->is_week) return WeekOf(tm, unit->first_weekday);
  return std::nullopt;
}

Status DatePart(CallSite* site, Arguments args, Value* out) {
  if (!IsPartOfTime(args)) return TypeError(*site, args);
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneOf(args, 2));
  const int64_t time = args[1]->integer();
  CalendarTime parts;
  RETURN_IF_ERROR(SplitTime(time, &parts));
  RETURN_IF_ERROR(SplitTime(ToLocal(time, zone), &parts));
  std::string name = args[0]->bytes();
  for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  auto part = FindPart(name, parts, FloorDiv(time, kMicrosPerSecond));
  if (!part) {
    return ProgramError("UNKNOWN_NAME", fmt::format("'{}' is not a date part", PrintEscaped(name)),
                        "year, month, day, hour, minute, second, millisecond, microsecond, "
                        "quarter, week, isoweek, isoyear, dow, dayofweek, doy, epoch");
  }
  *out = Value::Int64(*part);
  return OkStatus();
}

// --- Spans ---

Status TimeSpan(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kInt64 || !args[1]->is_string()) return TypeError(*site, args);
  ASSIGN_OR_RETURN(CalendarUnit unit, FindUnit(args[1]->bytes()));
  if (unit.micros == 0) {
    return ProgramError("RANGE",
                        fmt::format("a {} has no fixed length", PrintEscaped(args[1]->bytes())),
                        "add it to a time: time + INTERVAL 1 MONTH");
  }
  int64_t micros = 0;
  if (__builtin_mul_overflow(args[0]->integer(), unit.micros, &micros)) return TimeOverflow(*site);
  *out = Value::Duration(micros);
  return OkStatus();
}

Status AddMonths(CallSite* site, Arguments args, Value* out) {
  if (!IsTime(*args[0]) || args[1]->type() != kInt64) return TypeError(*site, args);
  const int64_t time = args[0]->integer();
  CalendarTime parts;
  RETURN_IF_ERROR(SplitTime(time, &parts));
  constexpr int64_t kMonthsMax = 12 * 30'000;  // keeps the year in the range of the calendar
  int64_t months = (parts.tm.tm_year + 1900) * int64_t{12} + parts.tm.tm_mon;
  if (__builtin_add_overflow(months, args[1]->integer(), &months) || months > kMonthsMax ||
      months < -kMonthsMax) {
    return TimeOverflow(*site);
  }
  const int64_t year = FloorDiv(months, 12);
  const int64_t month = months - year * 12 + 1;
  const int64_t day = std::min<int64_t>(parts.tm.tm_mday, DaysInMonth(year, month));
  const int64_t of_day = time - FloorDiv(time, kMicrosPerDay) * kMicrosPerDay;
  int64_t result = 0;
  if (__builtin_mul_overflow(DaysOf(year, month, day), kMicrosPerDay, &result) ||
      __builtin_add_overflow(result, of_day, &result)) {
    return TimeOverflow(*site);
  }
  *out = TimeLike(*args[0], result);
  return OkStatus();
}

Status TruncTime(CallSite* site, Arguments args, Value* out) {
  if (!IsPartOfTime(args)) return TypeError(*site, args);
  ASSIGN_OR_RETURN(CalendarUnit unit, FindUnit(args[0]->bytes()));
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneOf(args, 2));
  CalendarTime parts;
  // Called only for its error RANGE: ToLocal must not get a time near the limits of an INT64.
  RETURN_IF_ERROR(SplitTime(args[1]->integer(), &parts));
  ASSIGN_OR_RETURN(int64_t start, StartOfUnit(unit, ToLocal(args[1]->integer(), zone)));
  *out = TimeLike(*args[1], FromLocal(start, zone));
  return OkStatus();
}

// The number of months, quarters or years that start between the two times.
StatusOr<int64_t> MonthsBetween(const CalendarUnit& unit, int64_t later, int64_t earlier) {
  CalendarTime a, b;
  RETURN_IF_ERROR(SplitTime(later, &a));
  RETURN_IF_ERROR(SplitTime(earlier, &b));
  if (unit.is_iso_year) return IsoPart(a.tm, "%G") - IsoPart(b.tm, "%G");
  auto months = [](const std::tm& tm) { return tm.tm_year * int64_t{12} + tm.tm_mon; };
  return FloorDiv(months(a.tm), unit.months) - FloorDiv(months(b.tm), unit.months);
}

// Counts whole units, rounded towards zero, from microseconds to days. From weeks on it counts the
// units that begin between the two times, as GoogleSQL's DATE_DIFF does.
Status TimeDiff(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || !IsTime(*args[1]) || !IsTime(*args[2])) {
    return TypeError(*site, args);
  }
  ASSIGN_OR_RETURN(CalendarUnit unit, FindUnit(args[0]->bytes()));
  int64_t later = args[1]->integer();
  int64_t earlier = args[2]->integer();
  if (unit.micros == 0) {
    ASSIGN_OR_RETURN(int64_t count, MonthsBetween(unit, later, earlier));
    *out = Value::Int64(count);
    return OkStatus();
  }
  if (unit.is_week) {
    ASSIGN_OR_RETURN(later, StartOfUnit(unit, later));
    ASSIGN_OR_RETURN(earlier, StartOfUnit(unit, earlier));
  }
  int64_t micros = 0;
  if (__builtin_sub_overflow(later, earlier, &micros)) return TimeOverflow(*site);
  *out = Value::Int64(micros / unit.micros);
  return OkStatus();
}

Status MakeDate(CallSite* site, Arguments args, Value* out) {
  if (!std::all_of(args.begin(), args.end(), [](const Value* v) { return v->type() == kInt64; })) {
    return TypeError(*site, args);
  }
  const int64_t year = args[0]->integer(), month = args[1]->integer(), day = args[2]->integer();
  bool fine = year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 &&
              day <= DaysInMonth(year, month);
  if (!fine) {
    return ProgramError("RANGE", fmt::format("{}-{}-{} is not a date", year, month, day));
  }
  *out = Value::Timestamp(DaysOf(year, month, day) * kMicrosPerDay);
  return OkStatus();
}

// --- Patterns ---

// Returns `pattern` with `text` in place of each element % `letter`.
std::string WithElement(std::string_view pattern, char letter, std::string_view text) {
  std::string result;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool element = pattern[i] == '%' && i + 1 < pattern.size();
    result += element && pattern[i + 1] == letter ? text : pattern.substr(i, element ? 2 : 1);
    if (element) ++i;
  }
  return result;
}

Status FormatTimestamp(CallSite* site, Arguments args, Value* out) {
  if (!IsPartOfTime(args)) return TypeError(*site, args);
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneOf(args, 2));
  const int64_t time = args[1]->integer();
  CalendarTime parts;
  RETURN_IF_ERROR(SplitTime(time, &parts));
  RETURN_IF_ERROR(SplitTime(ToLocal(time, zone), &parts));
  // absl::FormatTime supports all elements except %Q, the quarter, which only GoogleSQL has.
  const std::string pattern =
      WithElement(args[0]->bytes(), 'Q', fmt::format("{}", parts.tm.tm_mon / 3 + 1));
  std::string text = absl::FormatTime(pattern, absl::FromUnixMicros(time), zone);
  RETURN_IF_ERROR(CheckTextSize(text.size()));
  *out = Value::Text(std::move(text));
  return OkStatus();
}

Status ParseByPattern(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneOf(args, 2));
  absl::Time time;
  std::string problem;
  // The %Y of absl::ParseTime takes all digits that follow: it would read 20261120 as one year.
  const std::string pattern = WithElement(args[0]->bytes(), 'Y', "%E4Y");
  if (!absl::ParseTime(pattern, args[1]->bytes(), zone, &time, &problem)) {
    return ProgramError(
        "DECODE",
        fmt::format("PARSE_TIMESTAMP: '{:.60}' does not fit '{:.60}' ({})",
                    PrintEscaped(args[1]->bytes()), PrintEscaped(args[0]->bytes()), problem),
        "SAFE.PARSE_TIMESTAMP(…) gives NULL instead");
  }
  if (time < absl::FromUnixMicros(INT64_MIN) || time > absl::FromUnixMicros(INT64_MAX)) {
    return TimeOverflow(*site);
  }
  *out = Value::Timestamp(absl::ToUnixMicros(time));
  return OkStatus();
}

}  // namespace

ScalarEntry FindCalendarFunction(Function function) {
  switch (function) {
    case Function::kDatePart:
      return {DatePart};
    case Function::kTimeSpan:
      return {TimeSpan};
    case Function::kAddMonths:
      return {AddMonths};
    case Function::kTruncTime:
      return {TruncTime};
    case Function::kTimeDiff:
      return {TimeDiff};
    case Function::kMakeDate:
      return {MakeDate};
    case Function::kFormatTimestamp:
      return {FormatTimestamp};
    case Function::kParseTimestamp:
      return {ParseByPattern};
    default:
      return {};
  }
}

}  // namespace sippar::engine
