// FORMAT, printf with the values of the language, and SOUNDEX.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/escape.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

// One element of a pattern, such as %-8.3f.
struct Element {
  std::string flags;
  int width = 0;
  int precision = -1;  // -1: no precision given
  char letter = 0;
};

Status BadPattern(std::string_view problem) {
  return ProgramError("RANGE", fmt::format("FORMAT: {}", problem),
                      "%d %i %x %X %o %f %e %g %s %t %T %%, as %-8.3f");
}

// Reads elements and their arguments one after another.
class PatternReader {
 public:
  PatternReader(const CallSite* site, Arguments args) : site_(site), args_(args) {}

  // Reads an element, whose % sign the caller has already removed, from the start of *text.
  Status Read(std::string_view* text, Element* out) {
    while (!text->empty() && std::string_view("-+ #0'").find((*text)[0]) != text->npos) {
      out->flags.push_back((*text)[0]);
      text->remove_prefix(1);
    }
    RETURN_IF_ERROR(Number(text, &out->width));
    if (text->starts_with('.')) {
      text->remove_prefix(1);
      out->precision = 0;
      RETURN_IF_ERROR(Number(text, &out->precision));
    }
    if (text->empty())
      return BadPattern("the pattern ends after '%', which needs a letter; %% is a percent sign");
    out->letter = (*text)[0];
    text->remove_prefix(1);
    return OkStatus();
  }

  Status Next(const Value** value) {
    if (next_ == args_.size()) return BadPattern("the pattern has more elements than arguments");
    *value = args_[next_++];
    return OkStatus();
  }

  Status CheckAllUsed() const {
    return next_ == args_.size() ? OkStatus()
                                 : BadPattern("the pattern has fewer elements than arguments");
  }
  Status WrongType() const { return TypeError(*site_, args_); }

 private:
  // Reads digits, or takes the next argument for a *. Without either, *number keeps its value.
  Status Number(std::string_view* text, int* number) {
    constexpr int64_t kMost = 10'000;
    int64_t read = *number;
    if (text->starts_with('*')) {
      text->remove_prefix(1);
      const Value* value = nullptr;
      RETURN_IF_ERROR(Next(&value));
      if (value->type() != kInt64) return WrongType();
      read = value->integer();
    } else {
      auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), read);
      if (error == std::errc::result_out_of_range) read = kMost + 1;
      text->remove_prefix(static_cast<size_t>(end - text->data()));
    }
    if (read < -1 || read > kMost) {
      return BadPattern(fmt::format("a width or precision is {}; the limit is {}", read, kMost));
    }
    *number = static_cast<int>(read);
    return OkStatus();
  }

  const CallSite* site_;
  Arguments args_;
  size_t next_ = 1;
};

bool Has(const Element& element, char flag) {
  return element.flags.find(flag) != std::string::npos;
}

// Puts separators between groups of `size` digits of the whole part of a number.
void Group(char separator, size_t size, std::string* digits) {
  size_t at = std::min(digits->find_first_not_of("0123456789abcdefABCDEF"), digits->size());
  for (; at > size; at -= size) digits->insert(at - size, 1, separator);
}

// What stands before the digits of a number: its sign, and 0x for %#x.
std::string PrefixOf(const Element& element, bool is_negative, bool is_zero) {
  std::string prefix = is_negative ? "-" : Has(element, '+') ? "+" : Has(element, ' ') ? " " : "";
  const bool is_hex = element.letter == 'x' || element.letter == 'X';
  if (Has(element, '#') && is_hex && !is_zero) (prefix += '0') += element.letter;
  return prefix;
}

std::string DigitsOf(const Element& element, uint64_t number) {
  const char letter = element.letter == 'i' ? 'd' : element.letter;
  std::string digits = fmt::format(fmt::runtime(fmt::format("{{:{}}}", letter)), number);
  // As in printf, %.0d of 0 has no digits.
  if (number == 0 && element.precision == 0) digits.clear();
  const size_t least = static_cast<size_t>(std::max(element.precision, 0));
  if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
  if (letter == 'o' && Has(element, '#') && !digits.starts_with('0')) digits.insert(0, 1, '0');
  if (Has(element, '\'')) {
    const bool is_hex = letter == 'x' || letter == 'X';
    Group(is_hex ? ':' : ',', letter == 'd' ? 3 : 4, &digits);
  }
  return digits;
}

std::string DigitsOf(const Element& element, double number) {
  constexpr int kPrecision = 6;  // where the element gives none
  std::string spec = fmt::format("{{:{}.{{}}{}}}", Has(element, '#') ? "#" : "", element.letter);
  std::string digits = fmt::format(fmt::runtime(spec), number,
                                   element.precision < 0 ? kPrecision : element.precision);
  if (Has(element, '\'') && std::isfinite(number)) Group(',', 3, &digits);
  return digits;
}

Status FormatNumber(const Element& element, const Value& value, const PatternReader& reader,
                    std::string* out) {
  const bool real = std::string_view("fFeEgG").find(element.letter) != std::string_view::npos;
  if (real ? !value.is_number() : value.type() != kInt64) return reader.WrongType();
  bool is_negative = value.integer() < 0;
  bool zeros = Has(element, '0') && !Has(element, '-');
  std::string digits;
  if (real) {
    const double number = value.AsReal();
    is_negative = std::signbit(number) && !std::isnan(number);
    zeros = zeros && std::isfinite(number);
    digits = DigitsOf(element, std::fabs(number));
  } else {
    const auto bits = static_cast<uint64_t>(value.integer());
    zeros = zeros && element.precision < 0;
    digits = DigitsOf(element, is_negative ? 0 - bits : bits);
  }
  const std::string prefix = PrefixOf(element, is_negative, !real && value.integer() == 0);
  const auto width = static_cast<size_t>(std::max(element.width, 0));
  const size_t size = prefix.size() + digits.size();
  const std::string fill(std::max(width, size) - size, zeros ? '0' : ' ');
  if (Has(element, '-')) {
    *out += prefix + digits + fill;
  } else {
    *out += zeros ? prefix + fill + digits : fill + prefix + digits;
  }
  return OkStatus();
}

// A FLOAT64 that can be told from an INT64: 1.0 and not 1.
std::string TextOfReal(double number, char letter) {
  if (!std::isfinite(number)) {
    const std::string word = std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
    return letter == 'T' ? fmt::format("CAST(\"{}\" AS FLOAT64)", word) : word;
  }
  std::string text = PrintFloat(number);
  const bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return is_whole ? text + ".0" : text;
}

// The quotes are double ones, unless single ones save escapes.
std::string LiteralOf(const Value& value) {
  const std::string& bytes = value.bytes();
  const bool is_double = bytes.find('"') == bytes.npos || bytes.find('\'') != bytes.npos;
  EscapeRules rules = {.letters = is_double ? "\\\\\nn\rr\tt\"\"" : "\\\\\nn\rr\tt"};
  if (value.type() == kBytes) rules.kept = EscapeRules::kAscii;
  return fmt::format("{0}{1}{2}{1}", value.type() == kBytes ? "b" : "", is_double ? '"' : '\'',
                     EscapeBytes(bytes, rules));
}

// %T shows a value as it is written in a statement, %t as it is printed.
std::string TextOf(const Value& value, char letter) {
  switch (value.type()) {
    case kBytes:
    case kText:
      return letter == 'T' ? LiteralOf(value) : value.bytes();
    case kBool:
      return value.is_true() ? "true" : "false";
    case kFloat64:
      return TextOfReal(value.real(), letter);
    case kArray: {
      std::string items;
      for (const Value& item : value.items()) items += ", " + TextOf(item, letter);
      return "[" + items.substr(items.empty() ? 0 : 2) + "]";
    }
    default:
      return value.Print();
  }
}

Status FormatText(const Element& element, const Value& value, const PatternReader& reader,
                  std::string* out) {
  if (element.letter == 's' && !value.is_string()) return reader.WrongType();
  std::string text = TextOf(value, element.letter);
  if (element.precision >= 0) text.resize(BytesOfUnits(kText, text, element.precision));
  const int64_t missing = element.width - CountUnits(kText, text);
  const std::string fill(static_cast<size_t>(std::max<int64_t>(missing, 0)), ' ');
  *out += Has(element, '-') ? text + fill : fill + text;
  return OkStatus();
}

// The result is NULL if the pattern is NULL, or if the value for an element other than %t and %T
// is NULL.
Status Format(CallSite* site, Arguments args, Value* out) {
  *out = Value::Null();
  if (args[0]->is_null()) return OkStatus();
  if (!args[0]->is_string()) return TypeError(*site, args);
  PatternReader reader(site, args);
  std::string result;
  for (std::string_view pattern = args[0]->bytes();;) {
    const size_t percent = pattern.find('%');
    result += pattern.substr(0, percent);
    if (percent == pattern.npos) break;
    pattern.remove_prefix(percent + 1);
    if (pattern.starts_with('%')) {
      result.push_back('%');
      pattern.remove_prefix(1);
      continue;
    }
    Element element;
    RETURN_IF_ERROR(reader.Read(&pattern, &element));
    const Value* value = nullptr;
    RETURN_IF_ERROR(reader.Next(&value));
    const bool any = element.letter == 't' || element.letter == 'T';
    if (value->is_null() && !any) return OkStatus();
    if (any || element.letter == 's') {
      RETURN_IF_ERROR(FormatText(element, *value, reader, &result));
    } else if (std::string_view("dixXofFeEgG").find(element.letter) != std::string_view::npos) {
      RETURN_IF_ERROR(FormatNumber(element, *value, reader, &result));
    } else {
      return BadPattern(
          fmt::format("%{} is unknown; %% is a percent sign", PrintEscaped({&element.letter, 1})));
    }
    RETURN_IF_ERROR(CheckTextSize(result.size()));
  }
  RETURN_IF_ERROR(reader.CheckAllUsed());
  *out = Value::Text(std::move(result));
  return OkStatus();
}

// The digit of a consonant in Soundex; '0' for vowels, '\0' for H and W, which do not separate
// equal digits.
char SoundexDigit(char letter) {
  constexpr std::string_view kDigits = "01230120022455012623010202";
  if (letter == 'H' || letter == 'W') return 0;
  return kDigits[static_cast<size_t>(letter - 'A')];
}

Status Soundex(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  std::string code;
  char last = 0;
  for (char c : args[0]->bytes()) {
    const char letter = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (letter < 'A' || letter > 'Z') continue;
    const char digit = SoundexDigit(letter);
    if (code.empty()) {
      code.push_back(letter);
    } else if (digit > '0' && digit != last && code.size() < 4) {
      code.push_back(digit);
    }
    if (digit != 0) last = digit;
  }
  if (!code.empty()) code.resize(4, '0');
  *out = Value::Text(std::move(code));
  return OkStatus();
}

}  // namespace

ScalarEntry FindFormatFunction(Function function) {
  switch (function) {
    case Function::kFormat:
      return {Format, false};
    case Function::kSoundex:
      return {Soundex};
    default:
      return {};
  }
}

}  // namespace sippar::engine
