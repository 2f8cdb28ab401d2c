// Holds the quoting functions of ast_print.h.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/base/escape.h"
#include "engine/base/utf8.h"
#include "query/syntax/ast_print.h"
#include "query/syntax/keywords.h"

namespace sippar::query {
namespace {

// Escapes control and hidden characters, quotes and backslashes; with `ascii` also every byte above
// 0x7f.
std::string Escaped(std::string_view text, bool ascii) {
  // Text stays readable: only characters that a terminal would obey or hide are escaped. BYTES keep
  // only ASCII, since other bytes may not be characters.
  using engine::EscapeRules;
  return engine::EscapeBytes(text, {.kept = ascii ? EscapeRules::kAscii : EscapeRules::kVisible,
                                    .letters = "\nn\tt\rr''\\\\"});
}

bool IsNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool IsBare(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsNameChar(c) || c == '.'; });
}

std::string FamilyText(std::string_view family) {
  // A family may contain '-', but at the start it would be read as a minus sign.
  bool plain = !family.empty() && family[0] != '-' &&
               std::all_of(family.begin(), family.end(),
                           [](char c) { return IsNameChar(c) || c == '.' || c == '-'; });
  return plain ? std::string(family) : fmt::format("`{}`", family);
}

// The lexer reads a qualifier without quotes as long as it consists of name characters and dots;
// any other byte would end the pattern in the middle of the qualifier.
std::string WordText(std::string_view word) {
  return IsBare(word) ? std::string(word) : QuoteValue(word);
}

std::string RegexText(const engine::NamePattern& pattern) {
  std::string out = "/";
  const std::string& regex = pattern.text;
  for (size_t i = 0; i < regex.size(); ++i) {
    // A backslash is copied together with the character after it. So in `\\/` the second backslash
    // is not taken for the start of an escape, and the slash still gets its own backslash.
    if (regex[i] == '\\' && i + 1 < regex.size()) {
      out.push_back(regex[i]);
      out.push_back(regex[++i]);
    } else if (regex[i] == '/') {
      out += "\\/";
    } else {
      out.push_back(regex[i]);
    }
  }
  return out + (pattern.case_insensitive ? "/i" : "/");
}

}  // namespace

std::string PrintRegex(const engine::NamePattern& pattern) { return RegexText(pattern); }

std::string QuoteText(std::string_view text) {
  // A statement must be UTF-8, but a TEXT may hold any bytes. If it is not UTF-8, all of its bytes
  // above 0x7f are written as \xHH.
  return fmt::format("'{}'", Escaped(text, !engine::IsUtf8(text)));
}
std::string QuoteBytes(std::string_view bytes) {
  return fmt::format("b'{}'", Escaped(bytes, true));
}
std::string QuoteValue(std::string_view bytes) {
  return engine::IsUtf8(bytes) ? QuoteText(bytes) : QuoteBytes(bytes);
}

namespace {

// True for a word with which a special form of expression begins. As a name it needs backquotes:
// array[1] is a list of one item, but `array`[1] is an index into the value of the name array.
bool BeginsForm(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper == "ARRAY" || upper == "STRUCT" || upper == "INTERVAL" || upper == "EXTRACT";
}

}  // namespace

std::string QuoteName(std::string_view name) {
  // A digit at the start would make the lexer read a number; a hard keyword would begin a clause.
  // Both are names only in backquotes.
  bool plain = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
               std::all_of(name.begin(), name.end(), IsNameChar) && !IsHardKeyword(name) &&
               !BeginsForm(name);
  return plain ? std::string(name) : fmt::format("`{}`", name);
}

std::string QuoteColumn(std::string_view family, std::string_view qualifier) {
  return FamilyText(family) + ":" + (qualifier.empty() ? "" : WordText(qualifier));
}

std::string Print(const syntax::PatternNode& pattern) {
  using engine::NamePattern;
  std::string out;
  if (pattern.family.kind == NamePattern::kAny) {
    out = "*";
  } else if (pattern.family.kind == NamePattern::kRegex) {
    out = RegexText(pattern.family);
  } else {
    out = FamilyText(pattern.family.text);
  }
  out += ":";
  // A parameter prints as its name: the tree does not have its value, which the session may change.
  if (pattern.HasParam()) return out + "@" + pattern.qualifier_param;
  const NamePattern& qualifier = pattern.qualifier;
  switch (qualifier.kind) {
    case NamePattern::kAny:
      return out + "*";
    case NamePattern::kRegex:
      return out + RegexText(qualifier);
    case NamePattern::kPrefix:
      return out + "^" + WordText(qualifier.text);
    default:
      return out + (qualifier.text.empty() ? "" : WordText(qualifier.text));
  }
}

}  // namespace sippar::query
