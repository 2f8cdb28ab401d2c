// Column patterns of the query language and of row filters. A pattern has a family part and a
// qualifier part; each part is an exact name, a prefix, a regex, or matches any name. Plain data;
// ColumnMatcher is the compiled form.
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
class ColumnMatcher final {
 public:
  // kInvalidArgument, with RE2's reason, for a malformed or too large regex.
  [[nodiscard]] static StatusOr<std::unique_ptr<ColumnMatcher>> Compile(
      const std::vector<ColumnPattern>& patterns);
  ~ColumnMatcher();

  bool MatchesAll() const { return matches_all_; }  // true: the list is empty or contains *:*
  bool MatchesFamily(std::string_view family) const {
    return matches_all_ || FamilyIsListed(family);
  }
  bool Matches(std::string_view family, std::string_view qualifier) const {
    return matches_all_ || ColumnIsListed(family, qualifier);
  }
  // Appends the indexes of all matching patterns to `out`, ascending.
  void MatchIndexes(std::string_view family, std::string_view qualifier,
                    std::vector<int>* out) const;
  // Sets *next to the smallest qualifier >= `qualifier` in `family` that may match; false when none
  // can. Considers only the literal prefix of a regex. Lets a scan seek instead of reading every
  // entry.
  bool NextQualifier(std::string_view family, std::string_view qualifier, std::string* next) const;

 private:
  struct Columns;  // the compiled form of one pattern
  explicit ColumnMatcher(std::vector<Columns> listed);
  bool FamilyIsListed(std::string_view family) const;
  bool ColumnIsListed(std::string_view family, std::string_view qualifier) const;

  const std::vector<Columns> listed_;
  bool matches_all_ = false;
};

}  // namespace sippar::engine
