// DATE and MAKE_DATE, sums and differences of DATEs, and results that are a DATE where an argument
// is one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/program/calendar.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"
#include "engine/program/time_zone.h"

namespace sippar::engine {
namespace {

using enum ValueType;

Status SetDate(const CallSite& site, int64_t days, Value* out) {
  if (!IsDay(days)) return OutsideOfYears(site);
  *out = Value::Date(days);
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
  const int64_t days = DaysOf(year, month, day);
  // Clients from before the type DATE send kMakeDate and know only its TIMESTAMP.
  *out = site->function == Function::kMakeDate ? Value::Timestamp(days * kMicrosPerDay)
                                               : Value::Date(days);
  return OkStatus();
}

// DATE(time [, zone]) and DATE(year, month, day).
Status DateOf(CallSite* site, Arguments args, Value* out) {
  if (args.size() == 3) return MakeDate(site, args, out);
  if (!IsTime(*args[0])) return TypeError(*site, args, "CAST(x AS DATE) reads a text");
  if (args.size() == 1) return SetDate(*site, FloorDiv(MicrosOf(*args[0]), kMicrosPerDay), out);
  if (args[0]->type() == kDate) return TypeError(*site, args, "a DATE has no zone");
  if (!args[1]->is_string()) return TypeError(*site, args);
  ASSIGN_OR_RETURN(absl::TimeZone zone, FindZone(args[1]->bytes()));
  const int64_t time = args[0]->integer();
  // ToLocal must not get a time near the limits of an INT64.
  if (!IsInYears(time)) return OutsideOfYears(*site);
  return SetDate(*site, FloorDiv(ToLocal(time, zone), kMicrosPerDay), out);
}

}  // namespace

Status OutsideOfYears(const CallSite& site) {
  return ProgramError("OVERFLOW", fmt::format("the result of {} is not in the years 1 to 9999",
                                              FindFunction(site.function)->name));
}

Status SetTimeLike(const CallSite& site, const Value& like, int64_t micros, Value* out) {
  if (like.type() == kDate) return SetDate(site, FloorDiv(micros, kMicrosPerDay), out);
  *out = like.type() == kTimestamp ? Value::Timestamp(micros) : Value::Int64(micros);
  return OkStatus();
}

// An INT64 next to a DATE is a number of days. Only `INT64 - DATE` takes it as a time, because a
// number of days minus a DATE means nothing.
Status DateArithmetic(const CallSite& site, Arguments args, Value* out) {
  const Value* date = args[0];
  const Value* span = args[1];
  const bool subtracts = site.function == Function::kSubtract;
  const bool two_times = span->type() == kDate || span->type() == kTimestamp;
  if (subtracts && two_times && IsTime(*date)) {
    int64_t micros = 0;
    if (__builtin_sub_overflow(MicrosOf(*date), MicrosOf(*span), &micros)) {
      return ProgramError("OVERFLOW", fmt::format("{} - {} does not fit into 64 bits",
                                                  date->Print(), span->Print()));
    }
    *out = Value::Duration(micros);
    return OkStatus();
  }
  if (site.function == Function::kAdd && span->type() == kDate) std::swap(date, span);
  const bool is_span = span->type() == kInt64 || span->type() == kDuration;
  if (site.function == Function::kMultiply || date->type() != kDate || !is_span) {
    return TypeError(site, args);
  }
  int64_t days = span->integer();
  if (span->type() == kDuration) {
    if (days % kMicrosPerDay != 0) {
      return ProgramError("RANGE", fmt::format("{} is not a number of days", span->Print()),
                          "a DATE has no time of day; CAST(date AS TIMESTAMP) has one");
    }
    days /= kMicrosPerDay;
  }
  const bool overflow = subtracts ? __builtin_sub_overflow(date->integer(), days, &days)
                                  : __builtin_add_overflow(date->integer(), days, &days);
  return overflow ? OutsideOfYears(site) : SetDate(site, days, out);
}

ScalarEntry FindDateFunction(Function function) {
  switch (function) {
    case Function::kDateOf:
      return {DateOf};
    case Function::kMakeDate:
      return {MakeDate};
    default:
      return {};
  }
}

}  // namespace sippar::engine
