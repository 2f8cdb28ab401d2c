// SPDX-License-Identifier: Apache-2.0
#include "engine/program/time_pattern.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "engine/program/calendar.h"
#include "engine/program/pattern_fields.h"
#include "engine/program/time_zone.h"

namespace sippar::engine {
namespace {

struct NumberElement {
  char letter;
  size_t digits;  // most digits
  int64_t low, high;
  PatternNumber PatternFields::*field;
};
using F = PatternFields;
constexpr std::array<NumberElement, 21> kNumbers = {{{'Y', 4, 0, 9999, &F::year},
                                                     {'C', 2, 0, 99, &F::century},
                                                     {'y', 2, 0, 99, &F::year_of_century},
                                                     {'m', 2, 1, 12, &F::month},
                                                     {'d', 2, 1, 31, &F::day},
                                                     {'e', 2, 1, 31, &F::day},
                                                     {'j', 3, 1, 366, &F::day_of_year},
                                                     {'U', 2, 0, 53, &F::week},
                                                     {'W', 2, 0, 53, &F::week},
                                                     {'u', 1, 1, 7, &F::weekday},
                                                     {'w', 1, 0, 6, &F::weekday},
                                                     {'G', 4, 0, 9999, &F::iso_year},
                                                     {'g', 2, 0, 99, &F::iso_year},
                                                     {'V', 2, 1, 53, &F::iso_week},
                                                     {'J', 3, 1, 371, &F::iso_day},
                                                     {'H', 2, 0, 23, &F::hour},
                                                     {'k', 2, 0, 23, &F::hour},
                                                     {'I', 2, 1, 12, &F::hour},
                                                     {'l', 2, 1, 12, &F::hour},
                                                     {'M', 2, 0, 59, &F::minute},
                                                     // Second 60 is a leap second.
                                                     {'S', 2, 0, 60, &F::second}}};

// Elements that stand for a pattern.
constexpr std::array<std::pair<char, std::string_view>, 8> kShort = {{{'c', "%a %b %e %H:%M:%S %Y"},
                                                                      {'D', "%m/%d/%y"},
                                                                      {'F', "%Y-%m-%d"},
                                                                      {'R', "%H:%M"},
                                                                      {'r', "%I:%M:%S %p"},
                                                                      {'T', "%H:%M:%S"},
                                                                      {'X', "%H:%M:%S"},
                                                                      {'x', "%m/%d/%y"}}};

constexpr std::string_view kNotInDates = "cHIklMPpRrSsTXZz";

constexpr std::array<std::string_view, 12> kMonths = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                       "thursday", "friday", "saturday"};

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads the elements of a pattern, one after another, off the front of a text.
class PatternReader {
 public:
  PatternReader(std::string_view text, const PatternRules& rules) : text_(text), rules_(rules) {
    fields_.zone = rules.zone;
    SkipBlanks();
  }

  bool Read(std::string_view pattern) {
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '%') {
        if (!Char(pattern[i])) return Fail("the text differs from the pattern");
        continue;
      }
      size_t end = i + 1;
      // %E4Y, %E*S, %E3S, %Ez: an E is followed by a digit or a star, perhaps, and a letter.
      if (end < pattern.size() && pattern[end] == 'E') ++end;
      if (end > i + 1 && end < pattern.size() && (IsDigit(pattern[end]) || pattern[end] == '*')) {
        ++end;
      }
      if (end >= pattern.size()) {
        return Fail(
            "the pattern ends after '%', which needs a letter such as %d; %% is a percent sign");
      }
      const std::string_view element = pattern.substr(i + 1, end - i);
      ++place_;
      if (!Element(element)) return Fail(fmt::format("at %{}", PrintEscaped(element)));
      i = end;
    }
    return true;
  }

  bool Finish(int64_t* micros) {
    SkipBlanks();
    if (!text_.empty()) return Fail("text is left over");
    return TimeOfFields(fields_, micros, &problem_);
  }

  const std::string& problem() const { return problem_; }

 private:
  // Keeps the first problem, which is the innermost.
  bool Fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }

  void SkipBlanks() {
    while (!text_.empty() && IsBlank(text_[0])) text_.remove_prefix(1);
  }

  // A blank of the pattern stands for any number of blanks.
  bool Char(char c) {
    if (IsBlank(c)) {
      SkipBlanks();
      return true;
    }
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool Number(size_t digits_max, int64_t low, int64_t high, int64_t* number) {
    size_t digits = 0;
    *number = 0;
    for (; digits < digits_max && !text_.empty() && IsDigit(text_[0]); ++digits) {
      *number = *number * 10 + (text_[0] - '0');
      text_.remove_prefix(1);
    }
    return digits > 0 && *number >= low && *number <= high;
  }

  // Takes a name or its first three letters, in any case.
  template <size_t kCount>
  bool Name(const std::array<std::string_view, kCount>& names, PatternNumber* field) {
    auto fits = [this](std::string_view name) {
      if (text_.size() < name.size()) return false;
      for (size_t i = 0; i < name.size(); ++i) {
        const char c = text_[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != name[i]) return false;
      }
      return true;
    };
    for (size_t i = 0; i < kCount; ++i) {
      if (!fits(names[i].substr(0, 3))) continue;
      text_.remove_prefix(fits(names[i]) ? names[i].size() : 3);
      *field = {static_cast<int64_t>(i), place_};
      return true;
    }
    return false;
  }

  // Takes the seconds and at most `digits_max` digits of their fraction.
  bool Seconds(size_t digits_max) {
    if (!ReadNumber(kNumbers.back())) return false;
    if (!text_.starts_with('.')) return true;
    text_.remove_prefix(1);
    int64_t scale = kMicrosPerSecond / 10;
    size_t digits = 0;
    fields_.micros = 0;
    for (; digits < digits_max && !text_.empty() && IsDigit(text_[0]); ++digits, scale /= 10) {
      fields_.micros += (text_[0] - '0') * scale;  // from the seventh digit on, the scale is 0
      text_.remove_prefix(1);
    }
    return digits > 0;
  }

  bool Epoch() {
    const bool negative = text_.starts_with('-');
    if (negative) text_.remove_prefix(1);
    int64_t seconds = 0;
    if (!Number(12, 0, INT64_MAX, &seconds)) return false;
    fields_.epoch = {negative ? -seconds : seconds, place_};
    return true;
  }

  bool Afternoon() {
    if (text_.size() < 2 || (text_[1] != 'M' && text_[1] != 'm')) return false;
    fields_.afternoon = text_[0] == 'P' || text_[0] == 'p';
    const bool fine = fields_.afternoon || text_[0] == 'A' || text_[0] == 'a';
    text_.remove_prefix(2);
    return fine;
  }

  // Takes +hh, +hhmm or +hh:mm, or Z.
  bool Offset() {
    size_t size = 0;
    int seconds = 0;
    if (text_.starts_with('Z') || text_.starts_with('z')) {
      size = 1;
    } else if (text_.starts_with('+') || text_.starts_with('-')) {
      size = 1;
      while (size < text_.size() && size < 3 && IsDigit(text_[size])) ++size;
      const size_t colon = size < text_.size() && text_[size] == ':' ? 1 : 0;
      const std::string_view minutes = text_.substr(size).substr(colon, 2);
      const bool both = minutes.size() == 2 && IsDigit(minutes[0]) && IsDigit(minutes[1]);
      if (both) size += colon + 2;
      if (!ReadOffset(text_.substr(0, size), &seconds)) return false;
    }
    text_.remove_prefix(size);
    fields_.offset = seconds;
    return size > 0;
  }

  // Takes a name up to a blank, such as Europe/Berlin, or UTC-4 as FORMAT_TIMESTAMP writes it.
  bool Zone() {
    size_t size = 0;
    while (size < text_.size() && !IsBlank(text_[size])) ++size;
    std::string_view name = text_.substr(0, size);
    if (name.starts_with("UTC+") || name.starts_with("UTC-")) name.remove_prefix(3);
    auto zone = FindZone(name);
    if (!zone.ok()) return Fail(std::string(zone.status().message()));
    fields_.zone = *zone;
    fields_.offset.reset();
    text_.remove_prefix(size);
    return true;
  }

  bool Quarter() {
    int64_t quarter = 0;
    if (!Number(1, 1, 4, &quarter)) return false;
    fields_.month = {quarter * 3 - 2, place_};
    fields_.day = {1, place_};
    return true;
  }

  bool ReadNumber(const NumberElement& element) {
    const char letter = element.letter;
    // FORMAT_TIMESTAMP writes a blank before a single digit of these.
    if (letter == 'e' || letter == 'k' || letter == 'l') SkipBlanks();
    int64_t number = 0;
    if (!Number(element.digits, element.low, element.high, &number)) return false;
    if (letter == 'g') number += number < 69 ? 2000 : 1900;
    if (letter == 'u') number %= 7;
    if (letter == 'U' || letter == 'W') fields_.first_weekday = letter == 'W' ? 1 : 0;
    if (element.field == &F::hour) fields_.twelve_hours = letter == 'I' || letter == 'l';
    fields_.*element.field = {number, place_};
    return true;
  }

  bool Element(std::string_view element) {
    const char letter = element.back();
    if (rules_.dates_only && kNotInDates.find(letter) != kNotInDates.npos) {
      return Fail(fmt::format("a DATE has no %{}", element));
    }
    if (element.size() > 1) return LongElement(element);
    for (const auto& number : kNumbers) {
      if (number.letter == letter) return ReadNumber(number);
    }
    for (const auto& [name, pattern] : kShort) {
      if (name == letter) return Read(pattern);
    }
    return OtherElement(letter);
  }

  bool LongElement(std::string_view element) {
    if (element == "E4Y") return ReadNumber(kNumbers.front());
    if (element == "Ez") return Offset();
    if (element == "E*S") return Seconds(text_.size());
    if (element.size() == 3 && IsDigit(element[1]) && element[2] == 'S') {
      return Seconds(static_cast<size_t>(element[1] - '0'));
    }
    return Fail(fmt::format("unknown element %{}", PrintEscaped(element)));
  }

  bool OtherElement(char letter) {
    switch (letter) {
      case 'A':
      case 'a':
        return Name(kWeekdays, &fields_.weekday);
      case 'B':
      case 'b':
      case 'h':
        if (!Name(kMonths, &fields_.month)) return false;
        ++fields_.month.value;
        return true;
      case 'P':
      case 'p':
        return Afternoon();
      case 'Q':
        return Quarter();
      case 's':
        return Epoch();
      case 'Z':
        return Zone();
      case 'z':
        return Offset();
      case 'n':
      case 't':
        SkipBlanks();
        return true;
      case '%':
        return Char('%');
      default:
        return Fail(fmt::format("unknown element %{}", PrintEscaped({&letter, 1})));
    }
  }

  std::string_view text_;
  const PatternRules& rules_;
  PatternFields fields_;
  int place_ = 0;
  std::string problem_;
};

}  // namespace

bool ReadByPattern(std::string_view pattern, std::string_view text, const PatternRules& rules,
                   int64_t* micros, std::string* problem) {
  PatternReader reader(text, rules);
  const bool fine = reader.Read(pattern) && reader.Finish(micros);
  if (!fine) *problem = reader.problem();
  return fine;
}

}  // namespace sippar::engine
