// RE2 settings for patterns over column names and in the query language. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <re2/re2.h>

#include <string_view>

#include "engine/base/limits.h"
#include "engine/base/status.h"

namespace sippar::engine {

inline re2::StringPiece BytesPiece(std::string_view text) { return {text.data(), text.size()}; }

inline RE2::Options BytesRegexOptions(bool case_insensitive) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);  // bytes: names and values need not be UTF-8
  options.set_log_errors(false);
  options.set_dot_nl(false);  // `.` excludes \n, as in Bigtable's filters; (?s) changes this
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
  return InvalidArgument(
      fmt::format("regex /{}/ is not valid: {}", regex.pattern(), regex.error()));
}

}  // namespace sippar::engine
