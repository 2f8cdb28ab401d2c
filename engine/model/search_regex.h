// A regex with which functions of the query language search values. RE2 cannot be stopped during a
// search, so a search that may take long runs on another thread, which the caller can abandon.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/stop_budget.h"

namespace re2 {
class RE2;
}

namespace sippar::engine {

// What `.` and a class match. Names and values need not be UTF-8, so only TEXT has characters.
enum class RegexUnit : uint8_t { kByte, kCharacter };

// Byte offsets of the relevant part of a match: its first group, or the whole match if the regex
// has no group.
struct RegexMatch {
  size_t begin = 0;
  size_t end = 0;
  bool has_part = true;  // false: the group took no part in the match; both offsets are 0
};

class SearchRegex final {
 public:
  // kInvalidArgument: the pattern is malformed, too long or needs too much memory. With kCharacter,
  // the pattern and the texts must be UTF-8.
  [[nodiscard]] static StatusOr<std::shared_ptr<const SearchRegex>> Compile(
      std::string_view pattern, bool case_insensitive, RegexUnit unit = RegexUnit::kByte);

  // Every search that may take long ends early, with the error of `budget`'s stop signal, once it
  // reports one.
  [[nodiscard]] StatusOr<bool> Found(std::string_view text, StopBudget* budget) const;
  // Group `group` of the first match (0: the whole match); nullopt when nothing matches, or the
  // group does not exist or took no part in the match. Without `group`: the first group, or the
  // whole match if the regex has none.
  [[nodiscard]] StatusOr<std::optional<std::string>> Extract(std::string_view text,
                                                             std::optional<int> group,
                                                             StopBudget* budget) const;
  // `text` with every match replaced; stops once the result exceeds limits::kValueSizeMax. Requires
  // that CheckRewrite(rewrite) is OK.
  [[nodiscard]] StatusOr<std::string> ReplaceAll(std::string_view text, std::string_view rewrite,
                                                 StopBudget* budget) const;
  // The first matches that begin at `from` or after it, at most `count`. They do not overlap; after
  // a match that ends at the end of the text, the empty match there does not count.
  [[nodiscard]] StatusOr<std::vector<RegexMatch>> Matches(std::string_view text, size_t from,
                                                          size_t count, StopBudget* budget) const;
  // kInvalidArgument: `rewrite` names a group that the regex does not have, or has a wrong escape.
  [[nodiscard]] Status CheckRewrite(std::string_view rewrite) const;
  int GroupCount() const;  // not counting the whole match

 private:
  SearchRegex(std::shared_ptr<const re2::RE2> regex, bool case_insensitive);
  // True if a search in `text` runs on the caller's thread: it is fast enough, or `budget` has no
  // stop signal.
  bool IsShort(std::string_view text, const StopBudget& budget) const;

  const std::shared_ptr<const re2::RE2> regex_;  // shared with abandoned searches
  const uint64_t size_;                          // instructions of the compiled regex
  // A text that every match contains; "" if unknown. A search for this text first is several times
  // cheaper than a search of the regex. If is_literal_, the text is the whole regex.
  std::string literal_;
  bool is_literal_ = false;
};

}  // namespace sippar::engine
