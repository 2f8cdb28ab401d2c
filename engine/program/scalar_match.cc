// LIKE and regexes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/limits.h"
#include "engine/base/utf8.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

Status RegexFound(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  bool case_insensitive = args.size() == 3 && args[2]->bytes() == "i";
  RETURN_IF_ERROR(
      PrepareRegex(site, args[1]->bytes(), case_insensitive, RegexUnitOf(*args[0], *args[1])));
  ASSIGN_OR_RETURN(bool found, site->regex->Found(args[0]->bytes(), site->budget));
  out->AssignInteger(kBool, found ? 1 : 0);
  return OkStatus();
}

Status RegexExtract(CallSite* site, Arguments args, Value* out) {
  bool fine = args[0]->is_string() && args[1]->is_string() &&
              (args.size() == 2 || args[2]->type() == kInt64);
  if (!fine) return TypeError(*site, args);
  RETURN_IF_ERROR(PrepareRegex(site, args[1]->bytes(), false, RegexUnitOf(*args[0], *args[1])));
  std::optional<int> group;
  if (args.size() == 3) {
    RETURN_IF_ERROR(CheckRegexGroup(*site, args[2]->integer()));
    group = static_cast<int>(args[2]->integer());
  }
  ASSIGN_OR_RETURN(std::optional<std::string> text,
                   site->regex->Extract(args[0]->bytes(), group, site->budget));
  *out = Value::Null();
  if (text) out->AssignBytes(args[0]->type(), *text);
  return OkStatus();
}

Status RegexReplace(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  RETURN_IF_ERROR(PrepareRegex(site, args[1]->bytes(), false, RegexUnitOf(*args[0], *args[1])));
  RETURN_IF_ERROR(CheckRewrite(site, args[2]->bytes()));
  ASSIGN_OR_RETURN(std::string text,
                   site->regex->ReplaceAll(args[0]->bytes(), args[2]->bytes(), site->budget));
  RETURN_IF_ERROR(CheckTextSize(text.size()));
  out->AssignBytes(args[0]->type(), text);
  return OkStatus();
}

// True if the pattern ends in a \ that escapes nothing.
bool EndsInEscape(std::string_view pattern) {
  size_t escapes = 0;
  while (escapes < pattern.size() && pattern[pattern.size() - 1 - escapes] == '\\') ++escapes;
  return escapes % 2 == 1;
}

Status Like(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  if (EndsInEscape(args[1]->bytes())) {
    return ProgramError("BAD_ESCAPE",
                        fmt::format("LIKE: the pattern '{}' ends in a \\, which escapes nothing",
                                    PrintEscaped(args[1]->bytes())),
                        "write \\\\ for the character itself");
  }
  ASSIGN_OR_RETURN(bool matches, LikeMatches(args[0]->bytes(), args[1]->bytes(),
                                             args[0]->type() == kText, site->budget));
  out->AssignInteger(kBool, matches ? 1 : 0);
  return OkStatus();
}

// The number of bytes at the start of `pattern` that stand for the byte `c`; 0 if `pattern` begins
// with a different byte. Requires: `pattern` does not begin with a wildcard.
size_t LiteralMatch(std::string_view pattern, char c) {
  if (pattern.empty()) return 0;
  const size_t escape = pattern.size() > 1 && pattern[0] == '\\' ? 1 : 0;
  return pattern[escape] == c ? escape + 1 : 0;
}

}  // namespace

StatusOr<bool> LikeMatches(std::string_view text, std::string_view pattern, bool by_character,
                           StopBudget* budget) {
  // On a mismatch, only the last % is tried again, with one more character. An earlier % needs no
  // second try: any text that it could take in addition, the last % can take as well. So the cost
  // is at most the length of the text times that of the pattern.
  auto step_at = [&](size_t at) { return by_character ? CharacterSize(text.substr(at)) : 1; };
  size_t t = 0, p = 0;
  size_t star_p = std::string_view::npos, star_t = 0;
  while (t < text.size()) {
    RETURN_IF_ERROR(budget->Spend(1));
    const char c = p < pattern.size() ? pattern[p] : '\0';
    if (c == '%') {
      star_p = ++p;
      star_t = t;
    } else if (c == '_') {
      ++p;
      t += step_at(t);
    } else if (const size_t taken = LiteralMatch(pattern.substr(p), text[t]); taken > 0) {
      p += taken;
      ++t;
    } else {
      if (star_p == std::string_view::npos) return false;
      p = star_p;
      star_t += step_at(star_t);
      t = star_t;
    }
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

bool LikeMatches(std::string_view text, std::string_view pattern, bool by_character) {
  StopBudget never_stops;
  return *LikeMatches(text, pattern, by_character, &never_stops);
}

RegexUnit RegexUnitOf(const Value& text, const Value& regex) {
  const bool is_text = text.type() == kText && regex.type() == kText;
  return is_text && IsUtf8(regex.bytes()) && IsUtf8(text.bytes()) ? RegexUnit::kCharacter
                                                                  : RegexUnit::kByte;
}

Status PrepareRegex(CallSite* site, std::string_view regex, bool case_insensitive, RegexUnit unit) {
  // Most regexes are literals, so for all rows but the first the call ends here.
  const bool is_same = site->regex != nullptr && site->regex_text == regex &&
                       site->regex_case_insensitive == case_insensitive;
  if (is_same && site->regex_unit == unit) return OkStatus();
  // Texts that need bytes and texts that need characters may alternate, so the regex of the other
  // unit is kept.
  if (is_same && site->other_regex != nullptr) {
    site->regex.swap(site->other_regex);
    site->regex_unit = unit;
    return OkStatus();
  }
  auto compiled = SearchRegex::Compile(regex, case_insensitive, unit);
  if (!compiled.ok()) {
    return ProgramError("BAD_REGEX", std::string(MessageOf(compiled.status())));
  }
  site->other_regex = is_same ? std::move(site->regex) : nullptr;
  site->regex = *std::move(compiled);
  site->regex_text = regex;
  site->regex_case_insensitive = case_insensitive;
  site->regex_unit = unit;
  // The kept rewrite was checked against the old regex.
  site->rewrite.reset();
  return OkStatus();
}

Status CheckRewrite(CallSite* site, std::string_view rewrite) {
  if (site->rewrite && *site->rewrite == rewrite) return OkStatus();
  Status fits = site->regex->CheckRewrite(rewrite);
  if (!fits.ok()) return ProgramError("BAD_REGEX", std::string(MessageOf(fits)));
  site->rewrite = rewrite;
  return OkStatus();
}

Status CheckRegexGroup(const CallSite& site, int64_t group) {
  int count = site.regex->GroupCount();
  if (group >= 0 && group <= count) return OkStatus();
  return ProgramError(
      "BAD_REGEX",
      fmt::format("regex /{}/ has no group {} (it has 0, the whole match{})", site.regex_text,
                  group, count == 0 ? "" : fmt::format(", to {}", count)));
}

ScalarEntry FindMatchFunction(Function function) {
  using enum Function;
  switch (function) {
    case kRegexFound:
      return {RegexFound};
    case kRegexExtract:
      return {RegexExtract};
    case kRegexReplace:
      return {RegexReplace};
    case kLike:
      return {Like};
    default:
      return {};
  }
}

}  // namespace sippar::engine
