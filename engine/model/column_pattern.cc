// SPDX-License-Identifier: Apache-2.0
#include "engine/model/column_pattern.h"

#include <algorithm>

#include "engine/model/bytes_regex.h"

namespace sippar::engine {
namespace {

// The compiled form of one part of a pattern.
class PartMatcher {
 public:
  Status Compile(const NamePattern& pattern) {
    kind_ = pattern.kind;
    if (kind_ == NamePattern::kRegex) {
      ASSIGN_OR_RETURN(regex_, BytesRegex::Compile(pattern.text, pattern.case_insensitive));
      prefix_ = regex_->LiteralPrefix();
    } else if (kind_ != NamePattern::kAny) {
      prefix_ = pattern.text;
    }
    return OkStatus();
  }

  bool Matches(std::string_view text) const {
    switch (kind_) {
      case NamePattern::kAny:
        return true;
      case NamePattern::kExact:
        return text == prefix_;
      case NamePattern::kPrefix:
        return text.starts_with(prefix_);
      case NamePattern::kRegex:
        return regex_->Found(text);
    }
    return false;
  }

  // Sets *next to the smallest text >= `text` that begins with the common prefix of all matches.
  // Returns false if no text >= `text` can match.
  bool NextCandidate(std::string_view text, std::string* next) const {
    if (text <= prefix_) {
      *next = prefix_;
      return true;
    }
    // All texts with the prefix are adjacent in the order, so none comes after the last of them. An
    // empty prefix (any name, or a regex without an anchor) rules out no text.
    if (kind_ == NamePattern::kExact || !text.starts_with(prefix_)) return false;
    *next = text;
    return true;
  }

  bool IsAny() const { return kind_ == NamePattern::kAny; }

 private:
  NamePattern::Kind kind_ = NamePattern::kAny;
  std::shared_ptr<const BytesRegex> regex_;
  std::string prefix_;  // common prefix of all matches; for an exact name, the name
};

}  // namespace

struct ColumnMatcher::Columns {
  PartMatcher family;
  PartMatcher qualifier;

  bool Match(std::string_view family_name, std::string_view qualifier_name) const {
    return family.Matches(family_name) && qualifier.Matches(qualifier_name);
  }
};

// An empty list of patterns matches every column, as in a ReadSpec.
ColumnMatcher::ColumnMatcher(std::vector<Columns> listed) : listed_(std::move(listed)) {
  matches_all_ =
      listed_.empty() || std::any_of(listed_.begin(), listed_.end(), [](const Columns& columns) {
        return columns.family.IsAny() && columns.qualifier.IsAny();
      });
}

ColumnMatcher::~ColumnMatcher() = default;

StatusOr<std::unique_ptr<ColumnMatcher>> ColumnMatcher::Compile(
    const std::vector<ColumnPattern>& patterns) {
  std::vector<Columns> listed(patterns.size());
  for (size_t i = 0; i < patterns.size(); ++i) {
    RETURN_IF_ERROR(listed[i].family.Compile(patterns[i].family));
    RETURN_IF_ERROR(listed[i].qualifier.Compile(patterns[i].qualifier));
  }
  return std::unique_ptr<ColumnMatcher>(new ColumnMatcher(std::move(listed)));
}

bool ColumnMatcher::FamilyIsListed(std::string_view family) const {
  return std::any_of(listed_.begin(), listed_.end(),
                     [&](const Columns& columns) { return columns.family.Matches(family); });
}

bool ColumnMatcher::ColumnIsListed(std::string_view family, std::string_view qualifier) const {
  return std::any_of(listed_.begin(), listed_.end(),
                     [&](const Columns& columns) { return columns.Match(family, qualifier); });
}

void ColumnMatcher::MatchIndexes(std::string_view family, std::string_view qualifier,
                                 std::vector<int>* out) const {
  for (size_t i = 0; i < listed_.size(); ++i) {
    if (listed_[i].Match(family, qualifier)) out->push_back(static_cast<int>(i));
  }
}

bool ColumnMatcher::NextQualifier(std::string_view family, std::string_view qualifier,
                                  std::string* next) const {
  if (matches_all_) {
    *next = qualifier;
    return true;
  }
  // A column needs to match only one pattern, so *next is the smallest candidate of all patterns.
  bool found = false;
  std::string candidate;
  for (const Columns& columns : listed_) {
    if (!columns.family.Matches(family)) continue;
    if (!columns.qualifier.NextCandidate(qualifier, &candidate)) continue;
    if (!found || candidate < *next) *next = candidate;
    found = true;
  }
  return found;
}

}  // namespace sippar::engine
