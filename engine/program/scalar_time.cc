// Functions on times. A time is a TIMESTAMP or an INT64 of microseconds. All
// functions use UTC.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "engine/program/calendar.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

constexpr int64_t kSecond = kMicrosPerSecond;
constexpr int64_t kDay = kMicrosPerDay;

Status TimeBucket(CallSite* site, Arguments args, Value* out) {
  bool width_fine = args[0]->type() == kDuration || args[0]->type() == kInt64;
  if (!width_fine || !IsTime(*args[1])) return TypeError(*site, args);
  int64_t width = args[0]->integer();
  if (width <= 0) return ProgramError("RANGE", "the width of TIME_BUCKET must be positive");
  int64_t start = 0;
  if (__builtin_mul_overflow(FloorDiv(args[1]->integer(), width), width, &start)) {
    return ProgramError("OVERFLOW", "the start of the bucket does not fit into 64 bits");
  }
  *out = args[1]->type() == kTimestamp ? Value::Timestamp(start) : Value::Int64(start);
  return OkStatus();
}

Status FormatTime(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || !IsTime(*args[1])) return TypeError(*site, args);
  CalendarTime parts;
  RETURN_IF_ERROR(SplitTime(args[1]->integer(), &parts));
  // strftime returns 0 both for an empty result and for one that is too long. With a trailing blank
  // no result is empty.
  std::string pattern = args[0]->bytes() + " ";
  char buffer[1024];
  size_t size = std::strftime(buffer, sizeof buffer, pattern.c_str(), &parts.tm);
  if (size == 0) return ProgramError("RANGE", "the result of FORMAT_TIME is longer than 1 KiB");
  *out = Value::Text(std::string(buffer, size - 1));
  return OkStatus();
}

// Takes exactly `count` digits off the front of *text.
bool TakeDigits(std::string_view* text, size_t count, int* number) {
  if (text->size() < count) return false;
  *number = 0;
  for (size_t i = 0; i < count; ++i) {
    char c = (*text)[i];
    if (c < '0' || c > '9') return false;
    *number = *number * 10 + (c - '0');
  }
  text->remove_prefix(count);
  return true;
}

bool Take(std::string_view* text, std::string_view chars) {
  if (text->empty() || chars.find((*text)[0]) == chars.npos) return false;
  text->remove_prefix(1);
  return true;
}

bool TakeFraction(std::string_view* text, int64_t* micros) {
  int64_t scale = kSecond / 10;
  size_t digits = 0;
  for (; !text->empty() && (*text)[0] >= '0' && (*text)[0] <= '9'; ++digits, scale /= 10) {
    *micros += ((*text)[0] - '0') * scale;
    text->remove_prefix(1);
  }
  // A time holds microseconds, so more than six digits would be lost silently.
  return digits >= 1 && digits <= 6;
}

bool TakeZone(std::string_view* text, int64_t* offset_us) {
  if (Take(text, "Zz")) return text->empty();
  bool west = text->starts_with('-');
  int hours = 0, minutes = 0;
  if (!Take(text, "+-") || !TakeDigits(text, 2, &hours)) return false;
  Take(text, ":");
  if (!TakeDigits(text, 2, &minutes) || hours > 23 || minutes > 59) return false;
  *offset_us = (hours * 3600 + minutes * 60) * kSecond * (west ? -1 : 1);
  return text->empty();
}

// Takes YYYY-MM-DD off the front of *text. False: *text does not begin with a valid date.
bool TakeDate(std::string_view* text, std::chrono::sys_days* date) {
  int year = 0, month = 0, day = 0;
  if (!TakeDigits(text, 4, &year) || !Take(text, "-") || !TakeDigits(text, 2, &month) ||
      !Take(text, "-") || !TakeDigits(text, 2, &day)) {
    return false;
  }
  std::chrono::year_month_day parts{std::chrono::year{year},
                                    std::chrono::month{static_cast<unsigned>(month)},
                                    std::chrono::day{static_cast<unsigned>(day)}};
  *date = parts;
  return parts.ok();
}

// Takes HH:MM, optional seconds and their fraction.
bool TakeTimeOfDay(std::string_view* text, int64_t* micros) {
  int hour = 0, minute = 0, second = 0;
  int64_t fraction = 0;
  if (!TakeDigits(text, 2, &hour) || !Take(text, ":") || !TakeDigits(text, 2, &minute)) {
    return false;
  }
  if (Take(text, ":") && !TakeDigits(text, 2, &second)) return false;
  if (Take(text, ".") && !TakeFraction(text, &fraction)) return false;
  *micros = (hour * 3600 + minute * 60 + second) * kSecond + fraction;
  return hour <= 23 && minute <= 59 && second <= 59;
}

}  // namespace

bool ParseTimestamp(std::string_view text, int64_t* micros) {
  std::chrono::sys_days date;
  int64_t time_of_day = 0, offset = 0;
  if (!TakeDate(&text, &date)) return false;
  if (!text.empty()) {
    if (!Take(&text, "Tt ") || !TakeTimeOfDay(&text, &time_of_day)) return false;
    // A time of day without a zone would be ambiguous.
    if (!TakeZone(&text, &offset)) return false;
  }
  *micros = date.time_since_epoch().count() * kDay + time_of_day - offset;
  return true;
}

ScalarEntry FindTimeFunction(Function function) {
  switch (function) {
    case Function::kTimeBucket:
      return {TimeBucket};
    case Function::kFormatTime:
      return {FormatTime};
    default:
      return {};
  }
}

}  // namespace sippar::engine
