// Functions on times. A time is a TIMESTAMP or an INT64 of microseconds. All in UTC.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;
constexpr int64_t kDaysMax = 11'000'000;  // std::chrono's year holds about 32767 years

bool IsTime(const Value& value) { return value.type() == kTimestamp || value.type() == kInt64; }

// Rounds down also for times before 1970. Requires: b > 0.
int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

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

int YearOf(int64_t days) {
  return static_cast<int>(
      std::chrono::year_month_day{std::chrono::sys_days{std::chrono::days{days}}}.year());
}

struct Parts {
  std::tm tm{};
  int64_t micros = 0;  // microseconds of the second
};

Status Split(int64_t time_us, Parts* parts) {
  int64_t days = FloorDiv(time_us, kDay);
  if (days > kDaysMax || days < -kDaysMax) {
    return ProgramError(
        "RANGE", fmt::format("time {} is outside the years {} to {}, which the calendar supports",
                             time_us, YearOf(-kDaysMax), YearOf(kDaysMax)));
  }
  int64_t rest = time_us - days * kDay;
  std::chrono::sys_days day{std::chrono::days{days}};
  std::chrono::year_month_day date{day};
  auto year_start = std::chrono::sys_days{date.year() / std::chrono::January / 1};
  parts->micros = rest % kSecond;
  int second = static_cast<int>(rest / kSecond);
  parts->tm.tm_year = static_cast<int>(date.year()) - 1900;
  parts->tm.tm_mon = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
  parts->tm.tm_mday = static_cast<int>(static_cast<unsigned>(date.day()));
  parts->tm.tm_hour = second / 3600;
  parts->tm.tm_min = second / 60 % 60;
  parts->tm.tm_sec = second % 60;
  parts->tm.tm_wday = static_cast<int>(std::chrono::weekday{day}.c_encoding());
  parts->tm.tm_yday = static_cast<int>((day - year_start).count());
  parts->tm.tm_zone = "UTC";
  return OkStatus();
}

Status DatePart(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || !IsTime(*args[1])) return TypeError(*site, args);
  Parts parts;
  RETURN_IF_ERROR(Split(args[1]->integer(), &parts));
  std::string name = args[0]->bytes();
  for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  const std::array<std::pair<std::string_view, int64_t>, 10> values = {
      {{"year", parts.tm.tm_year + 1900},
       {"month", parts.tm.tm_mon + 1},
       {"day", parts.tm.tm_mday},
       {"hour", parts.tm.tm_hour},
       {"minute", parts.tm.tm_min},
       {"second", parts.tm.tm_sec},
       {"microsecond", parts.micros},
       {"dow", parts.tm.tm_wday},
       {"doy", parts.tm.tm_yday + 1},
       {"epoch", FloorDiv(args[1]->integer(), kSecond)}}};
  for (const auto& [part, value] : values) {
    if (part != name) continue;
    *out = Value::Int64(value);
    return OkStatus();
  }
  return ProgramError("UNKNOWN_NAME", fmt::format("'{}' is not a date part", PrintEscaped(name)),
                      "year, month, day, hour, minute, second, microsecond, dow, doy, epoch");
}

Status FormatTime(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || !IsTime(*args[1])) return TypeError(*site, args);
  Parts parts;
  RETURN_IF_ERROR(Split(args[1]->integer(), &parts));
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

// Takes YYYY-MM-DD. False: `text` begins with no date of the calendar.
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
    case Function::kDatePart:
      return {DatePart};
    case Function::kFormatTime:
      return {FormatTime};
    default:
      return {};
  }
}

}  // namespace sippar::engine
