// SPDX-License-Identifier: Apache-2.0
#include "query/syntax/literals.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

#include "engine/base/hex.h"
#include "engine/base/utf8.h"

namespace sippar::query {
namespace {

constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The value of `count` hex digits at text[at]; -1 if there are fewer.
// int suffices: callers ask for at most four digits.
int ReadHex(std::string_view text, size_t at, size_t count) {
  int value = 0;
  for (size_t i = 0; i < count; ++i) {
    int digit = at + i < text.size() ? engine::HexDigit(text[at + i]) : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// Reads XXXX of \uXXXX at text[at]; a surrogate pair of two escapes makes one character. *used is
// the number of bytes after the u.
bool ReadUnicode(std::string_view text, size_t at, uint32_t* code, size_t* used) {
  int first = ReadHex(text, at, 4);
  if (first < 0) return false;
  *code = static_cast<uint32_t>(first);
  *used = 4;
  if (*code < 0xd800 || *code > 0xdfff) return true;
  // The second half of a pair without its first half is refused, and a first half must have its
  // second half right after it, written as an escape, too.
  if (*code > 0xdbff || text.substr(at + 4, 2) != "\\u") return false;
  int second = ReadHex(text, at + 6, 4);
  if (second < 0xdc00 || second > 0xdfff) return false;
  *code = 0x10000 + ((*code - 0xd800) << 10) + (static_cast<uint32_t>(second) - 0xdc00);
  *used = 10;
  return true;
}

// Decodes one escape. *i is the offset of its backslash and moves past the escape.
OptionalProblem DecodeEscape(std::string_view text, bool bytes, size_t* i, std::string* out) {
  constexpr std::string_view kPlain = "ntr0\\'\"/";
  constexpr std::string_view kMeaning("\n\t\r\0\\'\"/", 8);
  // A blank, which is not a known escape, stands for a missing character and keeps this read within
  // the text. It is a safeguard: the lexer accepts no literal that ends with a backslash.
  char c = *i + 1 < text.size() ? text[*i + 1] : ' ';
  if (size_t known = kPlain.find(c); known != std::string_view::npos) {
    out->push_back(kMeaning[known]);
    *i += 2;
    return std::nullopt;
  }
  if (c == 'x') {
    int byte = ReadHex(text, *i + 2, 2);
    if (byte < 0) return LiteralProblem{"\\x needs two hex digits", *i};
    out->push_back(static_cast<char>(byte));
    *i += 4;
    return std::nullopt;
  }
  // BYTES do not accept \u: it stands for a character, and a literal of BYTES has no encoding that
  // would turn the character into bytes.
  if (c == 'u' && !bytes) {
    uint32_t code = 0;
    size_t used = 0;
    if (!ReadUnicode(text, *i + 2, &code, &used)) {
      return LiteralProblem{"\\u needs four hex digits (surrogates in pairs)", *i};
    }
    // `code` is not a surrogate: ReadUnicode joins pairs and refuses lone surrogates, since UTF-8
    // cannot hold them.
    engine::AppendCharacter(code, out);
    *i += 2 + used;
    return std::nullopt;
  }
  return LiteralProblem{
      "unknown escape; known are \\n \\t \\r \\0 \\\\ \\' \\\" \\/ \\xHH \\uXXXX (text only)", *i};
}

struct Unit {
  std::string_view name;
  int64_t factor;
};
// Months and years have no fixed length, so there are no units for them.
constexpr std::array<Unit, 7> kTimeUnits = {{{"us", 1},
                                             {"ms", 1'000},
                                             {"s", 1'000'000},
                                             {"m", 60'000'000},
                                             {"h", 3'600'000'000},
                                             {"d", 86'400'000'000},
                                             {"w", 604'800'000'000}}};
constexpr std::array<Unit, 9> kSizeUnits = {{{"B", 1},
                                             {"KB", 1'000},
                                             {"MB", 1'000'000},
                                             {"GB", 1'000'000'000},
                                             {"TB", 1'000'000'000'000},
                                             {"KiB", 1LL << 10},
                                             {"MiB", 1LL << 20},
                                             {"GiB", 1LL << 30},
                                             {"TiB", 1LL << 40}}};

// Adds up the pairs of number and unit that make up `text`: 1h30m.
template <size_t N>
OptionalProblem DecodeUnits(std::string_view text, const std::array<Unit, N>& units, int64_t* out) {
  *out = 0;
  size_t i = 0;
  while (i < text.size()) {
    size_t digits = i;
    while (digits < text.size() && IsDigit(text[digits])) ++digits;
    size_t end = digits;
    while (end < text.size() && !IsDigit(text[end])) ++end;
    int64_t number = 0;
    // Each number is checked alone first: 64 bits may overflow before the unit multiplies it.
    if (DecodeInt(text.substr(i, digits - i), false, &number)) {
      return LiteralProblem{"number does not fit into 64 bits", i};
    }
    const Unit* unit = nullptr;
    for (const Unit& known : units) {
      if (known.name == text.substr(digits, end - digits)) unit = &known;
    }
    if (unit == nullptr) return LiteralProblem{"unknown unit", digits};
    int64_t product = 0;
    // Both steps may overflow: the product, and the sum with the parts before it.
    if (__builtin_mul_overflow(number, unit->factor, &product) ||
        __builtin_add_overflow(*out, product, out)) {
      return LiteralProblem{"too large for 64 bits", i};
    }
    i = end;
  }
  return std::nullopt;
}

// The offset of the colon that ends the family of a pattern. A colon in backquotes or in a regex
// belongs to the family. Needs no bounds check: the lexer accepts no pattern without a colon, a
// closing backquote or a closing slash.
size_t FamilyEnd(std::string_view text) {
  if (text[0] == '`') return text.find('`', 1) + 1;
  if (text[0] != '/') return text.find(':');
  size_t i = 1;
  while (text[i] != '/') i += text[i] == '\\' ? 2 : 1;
  ++i;
  return text[i] == 'i' ? i + 1 : i;
}

OptionalProblem DecodeWord(std::string_view text, std::string* out) {
  if (text[0] == '\'' || text[0] == '"') return DecodeQuoted(text, false, out);
  // A first letter b or x marks BYTES only if a quote follows. Otherwise it is part of the name.
  if (text.size() > 1 && (text[1] == '\'' || text[1] == '"')) return DecodeBytes(text, out);
  *out = std::string(text);
  return std::nullopt;
}

}  // namespace

OptionalProblem DecodeQuoted(std::string_view text, bool bytes, std::string* out) {
  out->clear();
  char quote = text[0];
  size_t end = text.size() - 1;  // offset of the closing quote
  for (size_t i = 1; i < end;) {
    if (text[i] == '\\') {
      if (OptionalProblem problem = DecodeEscape(text.substr(0, end), bytes, &i, out)) {
        return problem;
      }
      continue;
    }
    out->push_back(text[i]);
    i += text[i] == quote ? 2 : 1;  // a doubled quote stands for one
  }
  return std::nullopt;
}

OptionalProblem DecodeBytes(std::string_view text, std::string* out) {
  if (text[0] == 'b' || text[0] == 'B') {
    OptionalProblem problem = DecodeQuoted(text.substr(1), true, out);
    // `at` counts from the start of the literal, but DecodeQuoted has not seen the b.
    if (problem) ++problem->at;
    return problem;
  }
  out->clear();
  int high = -1;
  for (size_t i = 2; i + 1 < text.size(); ++i) {
    int digit = engine::HexDigit(text[i]);
    // Skips the blanks between digits.
    if (digit < 0) continue;
    if (high < 0) {
      high = digit;
    } else {
      out->push_back(static_cast<char>(high * 16 + digit));
      high = -1;
    }
  }
  if (high >= 0) return LiteralProblem{"an odd number of hex digits", 0};
  return std::nullopt;
}

std::string DecodeRaw(std::string_view text) {
  return std::string(text.substr(2, text.size() - 3));
}

OptionalProblem DecodeInt(std::string_view text, bool negative, int64_t* out) {
  bool hex = text.size() > 2 && (text[1] == 'x' || text[1] == 'X');
  std::string_view digits = hex ? text.substr(2) : text;
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  // from_chars reads an unsigned number, since the absolute value of the smallest INT64 is larger
  // than the largest INT64.
  uint64_t limit = static_cast<uint64_t>(kInt64Max) + (negative ? 1 : 0);
  if (error != std::errc() || end != digits.data() + digits.size() || value > limit) {
    return LiteralProblem{"number does not fit into INT64", 0};
  }
  // Negated as an unsigned number: the absolute value of the smallest INT64 does not fit into
  // INT64.
  *out = static_cast<int64_t>(negative ? ~value + 1 : value);
  return std::nullopt;
}

OptionalProblem DecodeFloat(std::string_view text, double* out) {
  // Uses from_chars, because strtod follows the locale of the process: a comma could become the
  // decimal point. A number too large or too small for a double is refused rather than made
  // infinite or 0.
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  if (error != std::errc() || end != text.data() + text.size()) {
    return LiteralProblem{"number does not fit into FLOAT64", 0};
  }
  return std::nullopt;
}

OptionalProblem DecodeDuration(std::string_view text, int64_t* micros) {
  return DecodeUnits(text, kTimeUnits, micros);
}

OptionalProblem DecodeSize(std::string_view text, int64_t* bytes) {
  return DecodeUnits(text, kSizeUnits, bytes);
}

engine::NamePattern DecodeRegex(std::string_view text) {
  bool fold = text.back() == 'i';
  std::string_view inner = text.substr(1, text.size() - (fold ? 3 : 2));
  std::string regex;
  for (size_t i = 0; i < inner.size(); ++i) {
    // "\/" stands for a slash, which would end the literal; every other escape belongs to RE2.
    if (inner[i] == '\\' && i + 1 < inner.size()) {
      if (inner[i + 1] != '/') regex.push_back('\\');
      ++i;
    }
    regex.push_back(inner[i]);
  }
  return engine::NamePattern::Regex(regex, fold);
}

OptionalProblem DecodePattern(std::string_view text, syntax::PatternNode* out) {
  size_t colon = FamilyEnd(text);
  std::string_view family = text.substr(0, colon);
  if (family == "*") {
    out->family = engine::NamePattern::Any();
  } else if (family[0] == '/') {
    out->family = DecodeRegex(family);
  } else if (family[0] == '`') {
    out->family = engine::NamePattern::Exact(family.substr(1, family.size() - 2));
  } else {
    out->family = engine::NamePattern::Exact(family);
  }
  std::string_view qualifier = text.substr(colon + 1);
  std::string word;
  OptionalProblem problem;
  if (qualifier.empty()) {
    out->qualifier = engine::NamePattern::Exact("");
  } else if (qualifier == "*") {
    out->qualifier = engine::NamePattern::Any();
  } else if (qualifier[0] == '@') {
    out->qualifier_param = std::string(qualifier.substr(1));
  } else if (qualifier[0] == '/') {
    // The regex is not compiled here, since query/syntax does not use RE2. BindPattern checks it.
    out->qualifier = DecodeRegex(qualifier);
  } else if (qualifier[0] == '^') {
    problem = DecodeWord(qualifier.substr(1), &word);
    if (problem) problem->at += colon + 2;
    out->qualifier = engine::NamePattern::Prefix(word);
  } else {
    problem = DecodeWord(qualifier, &word);
    if (problem) problem->at += colon + 1;
    out->qualifier = engine::NamePattern::Exact(word);
  }
  return problem;
}

}  // namespace sippar::query
