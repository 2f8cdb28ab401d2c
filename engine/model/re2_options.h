// RE2 settings for patterns over column names and in the query language. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <re2/re2.h>

#include <string>
#include <string_view>

#include "engine/base/limits.h"
#include "engine/base/status.h"

namespace sippar::engine {

inline RE2::Options BytesRegexOptions(bool case_insensitive) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);  // bytes: names and values need not be UTF-8
  options.set_log_errors(false);
  options.set_dot_nl(false);  // RE2's default, as in the API's filters; (?s) changes it
  options.set_max_mem(limits::kRegexMemoryMax);
  options.set_case_sensitive(!case_insensitive);
  return options;
}

[[nodiscard]] inline Status CheckRegexSize(std::string_view pattern) {
  if (pattern.size() <= limits::kRegexSizeMax) return OkStatus();
  return InvalidArgument(
      fmt::format("regex has {} bytes; the limit is {}", pattern.size(), limits::kRegexSizeMax));
}

[[nodiscard]] inline Status CheckRegexCompiled(const RE2& regex) {
  if (regex.ok()) return OkStatus();
  return InvalidArgument(fmt::format("bad regex /{}/: {}", regex.pattern(), regex.error()));
}

// Whether `rewrite` is a replacement text for matches of `regex`: \0 to \9 for groups, \\ for \.
[[nodiscard]] inline Status CheckRewriteOf(const RE2& regex, std::string_view rewrite) {
  const re2::StringPiece text(rewrite.data(), rewrite.size());
  std::string problem;
  if (regex.CheckRewriteString(text, &problem)) return OkStatus();
  const int group = RE2::MaxSubmatch(text);
  const int groups = regex.NumberOfCapturingGroups();
  if (group <= groups) {
    return InvalidArgument(
        fmt::format("replacement '{}': a \\ must be followed by a digit or another \\", rewrite));
  }
  return InvalidArgument(fmt::format(
      "regex /{}/: the replacement uses group \\{} ({}); write a group as ( )", regex.pattern(),
      group, groups == 0 ? std::string("it has none") : fmt::format("its last is \\{}", groups)));
}

}  // namespace sippar::engine
