// RE2 settings for patterns over column names and in the query language. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/limits.h"
#include "engine/base/status.h"
#include "engine/model/search_regex.h"

namespace sippar::engine {

inline re2::StringPiece BytesPiece(std::string_view text) { return {text.data(), text.size()}; }

inline RE2::Options RegexOptions(bool case_insensitive, RegexUnit unit) {
  RE2::Options options;
  options.set_encoding(unit == RegexUnit::kByte ? RE2::Options::EncodingLatin1
                                                : RE2::Options::EncodingUTF8);
  options.set_log_errors(false);
  options.set_dot_nl(false);  // `.` excludes \n, as in Bigtable's filters; (?s) changes this
  options.set_max_mem(limits::kRegexMemoryMax);
  options.set_case_sensitive(!case_insensitive);
  return options;
}

// RE2 of 2022-06-01, which Debian 12 has, finds nothing for /\xc3\xa4|\xc3\xb6/ in bytes: it takes
// the byte that the alternatives share for a character of UTF-8 when it looks for the first byte of
// a match (Regexp::LeadingString drops the flag Latin1; mended in 2023). An empty group at the
// start keeps RE2 from looking for a first byte.
inline constexpr std::string_view kEmptyGroup = "(?:)";

// True if alternatives of the pattern may share a byte >= 0x80, written as such or as an escape.
inline bool NeedsEmptyGroup(std::string_view pattern) {
  if (pattern.find('|') == std::string_view::npos) return false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (static_cast<unsigned char>(pattern[i]) >= 0x80) return true;
    if (pattern[i] != '\\' || ++i == pattern.size()) continue;
    if (pattern[i] == 'x' || (pattern[i] >= '0' && pattern[i] <= '9')) return true;
  }
  return false;
}

inline std::unique_ptr<const RE2> CompileRegex(std::string_view pattern, bool case_insensitive,
                                               RegexUnit unit) {
  const RE2::Options options = RegexOptions(case_insensitive, unit);
  auto plain = std::make_unique<const RE2>(BytesPiece(pattern), options);
  // A malformed pattern such as *a|b would not be one after the group.
  if (unit == RegexUnit::kCharacter || !NeedsEmptyGroup(pattern) || !plain->ok()) return plain;
  return std::make_unique<const RE2>(std::string(kEmptyGroup).append(pattern), options);
}

// The pattern that CompileRegex was given.
inline std::string_view PatternOf(const RE2& regex) {
  std::string_view pattern = regex.pattern();
  if (pattern.starts_with(kEmptyGroup) && NeedsEmptyGroup(pattern)) {
    pattern.remove_prefix(kEmptyGroup.size());
  }
  return pattern;
}

[[nodiscard]] inline Status CheckRegexSize(std::string_view pattern) {
  if (pattern.size() <= limits::kRegexSizeMax) return OkStatus();
  return InvalidArgument(
      fmt::format("regex has {} bytes; the limit is {}", pattern.size(), limits::kRegexSizeMax));
}

[[nodiscard]] inline Status CheckRegexCompiled(const RE2& regex) {
  if (regex.ok()) return OkStatus();
  return InvalidArgument(
      fmt::format("regex /{}/ is not valid: {}", PatternOf(regex), regex.error()));
}

}  // namespace sippar::engine
