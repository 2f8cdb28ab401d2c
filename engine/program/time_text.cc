// SPDX-License-Identifier: Apache-2.0
#include "engine/program/time_text.h"

#include "engine/program/calendar.h"
#include "engine/program/time_zone.h"

namespace sippar::engine {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool StartsWithDigit(std::string_view text) { return !text.empty() && IsDigit(text[0]); }

bool Take(std::string_view* text, std::string_view chars) {
  if (text->empty() || chars.find((*text)[0]) == chars.npos) return false;
  text->remove_prefix(1);
  return true;
}

// Takes `count_min` to `count_max` digits off the front of *text.
bool TakeDigits(std::string_view* text, size_t count_min, size_t count_max, int64_t* number) {
  *number = 0;
  size_t count = 0;
  for (; count < count_max && StartsWithDigit(*text); ++count) {
    *number = *number * 10 + ((*text)[0] - '0');
    text->remove_prefix(1);
  }
  return count >= count_min;
}

bool TakeFraction(std::string_view* text, int64_t* micros) {
  int64_t scale = kMicrosPerSecond / 10;
  size_t digits = 0;
  for (; StartsWithDigit(*text); ++digits, scale /= 10) {
    *micros += ((*text)[0] - '0') * scale;
    text->remove_prefix(1);
  }
  // A time holds microseconds. A seventh digit is refused rather than dropped: two times that the
  // user wrote differently must not become one.
  return digits >= 1 && digits <= 6;
}

bool TakeDate(std::string_view* text, int64_t* micros) {
  int64_t year = 0, month = 0, day = 0;
  if (!TakeDigits(text, 4, 4, &year) || !Take(text, "-") || !TakeDigits(text, 1, 2, &month) ||
      !Take(text, "-") || !TakeDigits(text, 1, 2, &day)) {
    return false;
  }
  // The month is checked first, because DaysInMonth and DaysOf require a month that exists.
  if (month < 1 || month > 12 || day < 1 || day > DaysInMonth(year, month)) return false;
  *micros = DaysOf(year, month, day) * kMicrosPerDay;
  return true;
}

// Second 60, a leap second, is refused: Unix time has no number for it.
bool TakeTimeOfDay(std::string_view* text, int64_t* micros) {
  int64_t hour = 0, minute = 0, second = 0, fraction = 0;
  if (!TakeDigits(text, 1, 2, &hour) || !Take(text, ":") || !TakeDigits(text, 1, 2, &minute)) {
    return false;
  }
  if (Take(text, ":")) {
    if (!TakeDigits(text, 1, 2, &second)) return false;
    if (Take(text, ".") && !TakeFraction(text, &fraction)) return false;
  }
  *micros += (hour * 3600 + minute * 60 + second) * kMicrosPerSecond + fraction;
  return hour <= 23 && minute <= 59 && second <= 59;
}

// Moves *micros from a clock of the zone to UTC. Requires: `zone` is not empty.
bool ApplyZone(std::string_view zone, int64_t* micros) {
  if (zone == "Z" || zone == "z") return true;
  int offset = 0;
  if (ReadOffset(zone, &offset)) {
    // East of UTC a clock shows a later time for the same moment, so the offset is subtracted.
    *micros -= offset * kMicrosPerSecond;
    return true;
  }
  if (!Take(&zone, " ")) return false;
  auto found = FindZone(zone);
  if (found.ok()) *micros = FromLocal(*micros, *found);
  return found.ok();
}

}  // namespace

bool ReadTimeText(std::string_view text, TimeText* out) {
  if (!TakeDate(&text, &out->micros)) return false;
  out->has_time_of_day = text.size() > 1 && IsDigit(text[1]) && Take(&text, "Tt ");
  if (out->has_time_of_day && !TakeTimeOfDay(&text, &out->micros)) return false;
  out->has_zone = !text.empty();
  if (out->has_zone && !ApplyZone(text, &out->micros)) return false;
  return IsInYears(out->micros);
}

}  // namespace sippar::engine
