// Column patterns of the query language and of row filters: a family part and a qualifier part,
// each an exact name, a prefix, a regex or any. Plain data; ColumnMatcher is the compiled form.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace sippar::engine {

// One part of a pattern. Regexes are RE2 over bytes and match anywhere in the name unless anchored.
struct NamePattern {
  enum Kind : uint8_t { kExact, kPrefix, kRegex, kAny };
  Kind kind = kAny;
  std::string text;               // the name, prefix or regex
  bool case_insensitive = false;  // for regexes only

  static NamePattern Exact(std::string_view text) { return {kExact, std::string(text), false}; }
  static NamePattern Prefix(std::string_view text) { return {kPrefix, std::string(text), false}; }
  static NamePattern Regex(std::string_view text, bool case_insensitive = false) {
    return {kRegex, std::string(text), case_insensitive};
  }
  static NamePattern Any() { return {}; }
  bool operator==(const NamePattern&) const = default;
};

// A pattern for columns: a column matches when both of its parts match.
struct ColumnPattern {
  NamePattern family;
  NamePattern qualifier;

  static ColumnPattern Exact(std::string_view family, std::string_view qualifier) {
    return {NamePattern::Exact(family), NamePattern::Exact(qualifier)};
  }
  bool IsExact() const {
    return family.kind == NamePattern::kExact && qualifier.kind == NamePattern::kExact;
  }
  bool operator==(const ColumnPattern&) const = default;
};

// Tests columns against a list of patterns. Immutable after Compile; thread safe.
class ColumnMatcher {
 public:
  // kInvalidArgument, with RE2's reason, for a malformed or too large regex.
  [[nodiscard]] static StatusOr<std::unique_ptr<ColumnMatcher>> Compile(
      const std::vector<ColumnPattern>& patterns);
  virtual ~ColumnMatcher() = default;

  virtual bool MatchesAll() const = 0;  // the list is empty or contains *:*
  virtual bool MatchesFamily(std::string_view family) const = 0;
  virtual bool Matches(std::string_view family, std::string_view qualifier) const = 0;
  // Appends the indexes of all matching patterns to `out`, ascending.
  virtual void MatchIndexes(std::string_view family, std::string_view qualifier,
                            std::vector<int>* out) const = 0;
  // Sets *next to the smallest qualifier >= `qualifier` in `family` that may match; false when none
  // can. For regexes only their literal prefix counts. Lets a scan seek instead of step.
  virtual bool NextQualifier(std::string_view family, std::string_view qualifier,
                             std::string* next) const = 0;
};

// One compiled regex over bytes, of bounded size and memory. Thread safe.
class BytesRegex {
 public:
  [[nodiscard]] static StatusOr<std::shared_ptr<const BytesRegex>> Compile(
      std::string_view pattern, bool case_insensitive = false);
  virtual ~BytesRegex() = default;
  virtual bool Found(std::string_view text) const = 0;
  // Group `group` of the first match (0 = whole match); false when there is no match or no such
  // group.
  virtual bool Extract(std::string_view text, int group, std::string* out) const = 0;
  // Requires that CheckRewrite(rewrite) is OK.
  virtual std::string ReplaceAll(std::string_view text, std::string_view rewrite) const = 0;
  // kInvalidArgument: `rewrite` names a group that the regex does not have, or has a wrong escape.
  [[nodiscard]] virtual Status CheckRewrite(std::string_view rewrite) const = 0;
  virtual int GroupCount() const = 0;  // not counting the whole match
  // The prefix of every matching text when the pattern is anchored with ^; else "".
  virtual std::string LiteralPrefix() const = 0;
};

}  // namespace sippar::engine
