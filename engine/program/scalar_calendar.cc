// Functions that split, shift, format and parse times, in UTC or a time zone.
// SPDX-License-Identifier: Apache-2.0
#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "engine/program/calendar.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"
#include "engine/program/time_pattern.h"
#include "engine/program/time_zone.h"

namespace sippar::engine {
namespace {

using enum ValueType;

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

bool IsWithinDay(const CalendarUnit& unit) {
  return unit.micros > 0 && unit.micros < kMicrosPerDay;
}

// Error TYPE for EXTRACT(HOUR FROM date) and the like. `name` need not be a unit.
Status CheckDateUnit(const CallSite& site, Arguments args, std::string_view name) {
  if (args[1]->type() != kDate) return OkStatus();
  if (args.size() == 3) return TypeError(site, args, "a DATE has no zone");
  auto unit = FindUnit(name);
  return unit.ok() && IsWithinDay(*unit) ? TypeError(site, args, "a DATE has no time of day")
                                         : OkStatus();
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
  const std::string name = absl::AsciiStrToLower(args[0]->bytes());
  RETURN_IF_ERROR(CheckDateUnit(*site, args, name));
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneOf(args, 2));
  const int64_t time = MicrosOf(*args[1]);
  CalendarTime parts;
  RETURN_IF_ERROR(SplitTime(time, &parts));
  RETURN_IF_ERROR(SplitTime(ToLocal(time, zone), &parts));
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

// The same time of day `count` months later. A day that the month lacks becomes its last day.
// nullopt: the calendar does not support the result. Error RANGE as for SplitTime.
StatusOr<std::optional<int64_t>> MonthsLater(int64_t time, int64_t count) {
  CalendarTime parts;
  RETURN_IF_ERROR(SplitTime(time, &parts));
  constexpr int64_t kMonthsMax = 12 * 30'000;  // keeps the year in the range of the calendar
  int64_t months = (parts.tm.tm_year + 1900) * int64_t{12} + parts.tm.tm_mon;
  if (__builtin_add_overflow(months, count, &months) || months > kMonthsMax ||
      months < -kMonthsMax) {
    return std::optional<int64_t>();
  }
  const int64_t year = FloorDiv(months, 12);
  const int64_t month = months - year * 12 + 1;
  const int64_t day = std::min<int64_t>(parts.tm.tm_mday, DaysInMonth(year, month));
  const int64_t of_day = time - FloorDiv(time, kMicrosPerDay) * kMicrosPerDay;
  // Fits into 64 bits: 30,000 years are about a tenth of what an INT64 of microseconds holds.
  return std::optional(DaysOf(year, month, day) * kMicrosPerDay + of_day);
}

Status AddMonths(CallSite* site, Arguments args, Value* out) {
  if (!IsTime(*args[0]) || args[1]->type() != kInt64) return TypeError(*site, args);
  ASSIGN_OR_RETURN(std::optional<int64_t> later,
                   MonthsLater(MicrosOf(*args[0]), args[1]->integer()));
  if (!later || !IsInYears(*later)) return OutsideOfYears(*site);
  return SetTimeLike(*site, *args[0], *later, out);
}

// The times from args[0] to args[1], args[2] months apart.
Status MonthArray(CallSite* site, Arguments args, Value* out) {
  if (!IsTime(*args[0]) || !IsTime(*args[1]) || args[2]->type() != kInt64) {
    return TypeError(*site, args);
  }
  const int64_t to = MicrosOf(*args[1]);
  const int64_t step = args[2]->integer();
  if (step == 0) return ProgramError("RANGE", "GENERATE_DATE_ARRAY: the step is 0");
  Value::Items items;
  int64_t months = 0;
  do {
    // Counts from the start: a day that one month lacks comes back in the next.
    ASSIGN_OR_RETURN(std::optional<int64_t> at, MonthsLater(MicrosOf(*args[0]), months));
    if (!at || (step > 0 ? *at > to : *at < to)) break;
    RETURN_IF_ERROR(CheckArraySize(items.size() + 1, 0));
    RETURN_IF_ERROR(SetTimeLike(*site, *args[0], *at, &items.emplace_back()));
  } while (!__builtin_add_overflow(months, step, &months));
  *out = Value::Array(std::move(items));
  return OkStatus();
}

// --- Units ---

// The unit 'day' gives the time at which the day began in the zone. The unit 'date' gives the date
// that clocks of the zone show, as the start of that day in UTC; clients from before the type DATE
// send it.
Status TruncTime(CallSite* site, Arguments args, Value* out) {
  if (!IsPartOfTime(args)) return TypeError(*site, args);
  RETURN_IF_ERROR(CheckDateUnit(*site, args, args[0]->bytes()));
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneOf(args, 2));
  const int64_t time = MicrosOf(*args[1]);
  CalendarTime parts;
  // Called only for its error RANGE: ToLocal must not get a time near the limits of an INT64.
  RETURN_IF_ERROR(SplitTime(time, &parts));
  const int64_t local = ToLocal(time, zone);
  if (absl::AsciiStrToLower(args[0]->bytes()) == "date") {
    return SetTimeLike(*site, *args[1], FloorDiv(local, kMicrosPerDay) * kMicrosPerDay, out);
  }
  ASSIGN_OR_RETURN(CalendarUnit unit, FindUnit(args[0]->bytes()));
  ASSIGN_OR_RETURN(int64_t start, StartOfUnit(unit, local));
  // A local hour may come twice. The part of an hour or less is taken off the time itself, with the
  // zone's offset at that time, so the result stays in the same one of the two.
  const int64_t micros = IsWithinDay(unit) ? time - (local - start) : FromLocal(start, zone);
  return SetTimeLike(*site, *args[1], micros, out);
}

Status LastDayOf(CallSite* site, Arguments args, Value* out) {
  if (!IsPartOfTime(args)) return TypeError(*site, args);
  ASSIGN_OR_RETURN(CalendarUnit unit, FindUnit(args[0]->bytes()));
  if (IsWithinDay(unit)) {
    return ProgramError("RANGE", "LAST_DAY takes a unit of a day or more");
  }
  ASSIGN_OR_RETURN(int64_t start, StartOfUnit(unit, MicrosOf(*args[1])));
  int64_t next = start + unit.micros;
  if (unit.is_iso_year) {
    // An ISO year has 52 or 53 weeks, so the day 53 weeks later is in the next one.
    ASSIGN_OR_RETURN(next, StartOfUnit(unit, start + 53 * 7 * kMicrosPerDay));
  } else if (unit.micros == 0) {
    ASSIGN_OR_RETURN(std::optional<int64_t> later, MonthsLater(start, unit.months));
    if (!later) return OutsideOfYears(*site);
    next = *later;
  }
  return SetTimeLike(*site, *args[1], next - kMicrosPerDay, out);
}

// The number of whole units from one time to a later one. Requires: the unit is longer than a week.
StatusOr<int64_t> WholeUnits(const CalendarUnit& unit, int64_t earlier, int64_t later) {
  CalendarTime a, b;
  RETURN_IF_ERROR(SplitTime(earlier, &a));
  RETURN_IF_ERROR(SplitTime(later, &b));
  if (unit.is_iso_year) {
    ASSIGN_OR_RETURN(int64_t start_a, StartOfUnit(unit, earlier));
    ASSIGN_OR_RETURN(int64_t start_b, StartOfUnit(unit, later));
    const int64_t years = IsoPart(b.tm, "%G") - IsoPart(a.tm, "%G");
    return later - start_b < earlier - start_a ? years - 1 : years;
  }
  auto month_of = [](const std::tm& tm) { return tm.tm_year * int64_t{12} + tm.tm_mon; };
  const int64_t months = month_of(b.tm) - month_of(a.tm);
  ASSIGN_OR_RETURN(std::optional<int64_t> reached, MonthsLater(earlier, months));
  return (!reached || *reached > later ? months - 1 : months) / unit.months;
}

// Counts whole units, rounded towards zero.
Status TimeDiff(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || !IsTime(*args[1]) || !IsTime(*args[2])) {
    return TypeError(*site, args);
  }
  ASSIGN_OR_RETURN(CalendarUnit unit, FindUnit(args[0]->bytes()));
  const int64_t later = MicrosOf(*args[1]);
  const int64_t earlier = MicrosOf(*args[2]);
  int64_t count = 0;
  if (unit.micros == 0) {
    const auto [from, to] = std::minmax(earlier, later);
    ASSIGN_OR_RETURN(count, WholeUnits(unit, from, to));
    if (later < earlier) count = -count;
  } else {
    int64_t micros = 0;
    if (__builtin_sub_overflow(later, earlier, &micros)) return TimeOverflow(*site);
    count = micros / unit.micros;
  }
  *out = Value::Int64(count);
  return OkStatus();
}

// --- Patterns ---

// UTC, UTC-4, UTC+5:30
std::string ZoneText(int64_t offset_us) {
  const int64_t minutes = std::abs(offset_us) / (60 * kMicrosPerSecond);
  if (minutes == 0) return "UTC";
  std::string text = fmt::format("UTC{}{}", offset_us < 0 ? '-' : '+', minutes / 60);
  return minutes % 60 == 0 ? text : text + fmt::format(":{:02}", minutes % 60);
}

// The text of an element that absl::FormatTime does not have, or writes in another way than
// GoogleSQL; nullopt for the others.
std::optional<std::string> OurElement(char letter, const CalendarTime& parts, int64_t local,
                                      int64_t offset_us) {
  switch (letter) {
    case 'C':
      return fmt::format("{:02}", FloorDiv(parts.tm.tm_year + 1900, 100));
    case 'J': {
      const int64_t start = IsoYearStart(IsoPart(parts.tm, "%G"));
      return fmt::format("{:03}", FloorDiv(local, kMicrosPerDay) - start + 1);
    }
    case 'Q':
      return fmt::format("{}", parts.tm.tm_mon / 3 + 1);
    case 'Z':
      return ZoneText(offset_us);
    default:
      return std::nullopt;
  }
}

// Returns `pattern` with the texts of our elements in their place.
std::string WithOurElements(std::string_view pattern, const CalendarTime& parts, int64_t local,
                            int64_t offset_us) {
  std::string result;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      result += pattern[i];
      continue;
    }
    auto text = OurElement(pattern[i + 1], parts, local, offset_us);
    result += text ? *text : pattern.substr(i, 2);
    ++i;
  }
  return result;
}

Status FormatTimestamp(CallSite* site, Arguments args, Value* out) {
  if (!IsPartOfTime(args)) return TypeError(*site, args);
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneOf(args, 2));
  const int64_t time = MicrosOf(*args[1]);
  CalendarTime parts;
  RETURN_IF_ERROR(SplitTime(time, &parts));
  const int64_t local = ToLocal(time, zone);
  RETURN_IF_ERROR(SplitTime(local, &parts));
  const std::string pattern = WithOurElements(args[0]->bytes(), parts, local, local - time);
  std::string text = absl::FormatTime(pattern, absl::FromUnixMicros(time), zone);
  RETURN_IF_ERROR(CheckTextSize(text.size()));
  *out = Value::Text(std::move(text));
  return OkStatus();
}

// PARSE_TIMESTAMP and PARSE_DATE.
Status ParseByPattern(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  RETURN_IF_ERROR(site->budget->Spend(args[0]->bytes().size() + args[1]->bytes().size()));
  PatternRules rules;
  ASSIGN_OR_RETURN(rules.zone, ZoneOf(args, 2));
  rules.dates_only = site->function != Function::kParseTimestamp;
  std::string problem;
  int64_t micros = 0;
  if (!ReadByPattern(args[0]->bytes(), args[1]->bytes(), rules, &micros, &problem)) {
    const std::string_view name = FindFunction(site->function)->name;
    return ProgramError(
        "DECODE",
        fmt::format("{}: '{:.60}' does not fit '{:.60}' ({})", name, PrintEscaped(args[1]->bytes()),
                    PrintEscaped(args[0]->bytes()), problem),
        fmt::format("SAFE.{}(…) gives NULL instead", name));
  }
  // Clients from before the type DATE send kParseDate and know only its TIMESTAMP.
  const Value like = site->function == Function::kReadDate ? Value::Date(0) : Value::Timestamp(0);
  return SetTimeLike(*site, like, micros, out);
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
    case Function::kMonthArray:
      return {MonthArray};
    case Function::kLastDayOf:
      return {LastDayOf};
    case Function::kFormatTimestamp:
      return {FormatTimestamp};
    case Function::kParseTimestamp:
    case Function::kParseDate:
    case Function::kReadDate:
      return {ParseByPattern};
    default:
      return {};
  }
}

}  // namespace sippar::engine
