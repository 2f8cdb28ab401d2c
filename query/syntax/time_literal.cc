// Holds DecodeTimestamp of literals.h.
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "query/syntax/literals.h"

namespace sippar::query {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Days from 1970-01-01 to a date of the proleptic Gregorian calendar (H. Hinnant,
// "days_from_civil"). Written here because timegm is not part of C++ and accepts days that do not
// exist.
int64_t DaysFromCivil(int64_t year, int month, int day) {
  year -= month <= 2;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t year_of_era = year - era * 400;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

// Reads the pieces of a time one after another. After a failure ok() stays false, so the caller
// checks once, at the end.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  int Number(size_t digits) {
    int value = 0;
    for (size_t i = 0; i < digits; ++i) {
      if (at_ >= text_.size() || !IsDigit(text_[at_])) {
        ok_ = false;
        return 0;
      }
      value = value * 10 + (text_[at_++] - '0');
    }
    return value;
  }
  bool Take(std::string_view any_of) {
    if (at_ >= text_.size() || any_of.find(text_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  }
  void Expect(std::string_view any_of) { ok_ = Take(any_of) && ok_; }
  void Check(bool condition) { ok_ = ok_ && condition; }
  int64_t Fraction() {
    int64_t value = 0;
    int digits = 0;
    while (at_ < text_.size() && IsDigit(text_[at_])) {
      // A seventh digit is refused rather than dropped: cells have microseconds, and two times that
      // the user wrote differently must not become one.
      if (++digits > 6) ok_ = false;
      value = digits > 6 ? value : value * 10 + (text_[at_] - '0');
      ++at_;
    }
    if (digits == 0) ok_ = false;
    for (; digits < 6; ++digits) value *= 10;
    return value;
  }
  bool AtEnd() const { return at_ == text_.size(); }
  bool ok() const { return ok_; }
  size_t at() const { return at_; }
  char last() const { return text_[at_ - 1]; }

 private:
  std::string_view text_;
  size_t at_ = 0;
  bool ok_ = true;
};

int DaysInMonth(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<size_t>(month - 1)];
}

// Returns the zone's offset in minutes, east of UTC. The caller has already read the zone's first
// character: Z for UTC, or a sign; after a sign this function reads hh:mm or hhmm. The offset is at
// most 18 hours, as for SET timezone.
int64_t ZoneMinutes(TimeReader* reader) {
  const char first = reader->last();
  // Z and z mean UTC.
  if (first != '+' && first != '-') return 0;
  const int hours = reader->Number(2);
  reader->Take(":");
  const int minutes = reader->Number(2);
  const int64_t size = hours * 60 + minutes;
  reader->Check(minutes < 60 && size <= 18 * 60);
  return first == '-' ? -size : size;
}

}  // namespace

OptionalProblem DecodeTimestamp(std::string_view text, int64_t* micros, bool* zone_missing) {
  TimeReader reader(text);
  int year = reader.Number(4);
  reader.Expect("-");
  int month = reader.Number(2);
  reader.Expect("-");
  int day = reader.Number(2);
  int64_t hour = 0, minute = 0, second = 0, fraction = 0, zone_minutes = 0;
  if (reader.Take("Tt ")) {
    hour = reader.Number(2);
    reader.Expect(":");
    minute = reader.Number(2);
    reader.Expect(":");
    second = reader.Number(2);
    if (reader.Take(".")) fraction = reader.Fraction();
  }
  *zone_missing = !reader.Take("Zz+-");
  if (!*zone_missing) zone_minutes = ZoneMinutes(&reader);
  // Second 60, a leap second, is refused: Unix time has no number for it.
  reader.Check(reader.AtEnd() && month >= 1 && month <= 12 && hour < 24 && minute < 60 &&
               second < 60);
  // The day is checked after the month, because DaysInMonth uses the month as an array index.
  if (reader.ok()) reader.Check(day >= 1 && day <= DaysInMonth(year, month));
  if (!reader.ok()) {
    return LiteralProblem{"not a time; write 2026-11-20T12:00:00.000000Z", reader.at()};
  }
  int64_t seconds =
      DaysFromCivil(year, month, day) * 86400 + (hour * 60 + minute - zone_minutes) * 60 + second;
  // The offset of the zone may move the time out of the years 0 to 9999. Such a time is refused,
  // because it could not be printed with a year of four digits.
  constexpr int64_t kYear0 = -62'167'219'200;
  constexpr int64_t kYear10000 = 253'402'300'800;
  if (seconds < kYear0 || seconds >= kYear10000)
    return LiteralProblem{"the year is not 0 to 9999", 0};
  *micros = seconds * 1'000'000 + fraction;
  return std::nullopt;
}

}  // namespace sippar::query
