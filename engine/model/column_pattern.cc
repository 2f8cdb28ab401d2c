// SPDX-License-Identifier: Apache-2.0
#include "engine/model/column_pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "engine/model/re2_options.h"
#include "engine/model/regex_prefix.h"

namespace sippar::engine {
namespace {

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

class Re2Regex final : public BytesRegex {
 public:
  Re2Regex(std::string_view pattern, const RE2::Options& options) : re2_(Piece(pattern), options) {}

  bool Found(std::string_view text) const override { return RE2::PartialMatch(Piece(text), re2_); }

  bool Extract(std::string_view text, int group, std::string* out) const override {
    if (group < 0 || group > re2_.NumberOfCapturingGroups()) return false;
    std::vector<re2::StringPiece> groups(static_cast<size_t>(group) + 1);
    if (!re2_.Match(Piece(text), 0, text.size(), RE2::UNANCHORED, groups.data(), group + 1)) {
      return false;
    }
    const re2::StringPiece& piece = groups[static_cast<size_t>(group)];
    // The group took no part in the match.
    if (piece.data() == nullptr) return false;
    out->assign(piece.data(), piece.size());
    return true;
  }

  std::string ReplaceAll(std::string_view text, std::string_view rewrite) const override {
    std::string result(text);
    RE2::GlobalReplace(&result, re2_, Piece(rewrite));
    return result;
  }

  Status CheckRewrite(std::string_view rewrite) const override {
    return CheckRewriteOf(re2_, rewrite);
  }

  int GroupCount() const override { return re2_.NumberOfCapturingGroups(); }

  std::string LiteralPrefix() const override {
    // Without the anchor a match may begin anywhere, and without case it has several spellings.
    if (!re2_.options().case_sensitive() || !IsAnchoredAtStart(re2_.pattern())) return "";
    bool whole = false;
    return LiteralHead(re2_.pattern(), &whole);
  }

  const RE2& re2() const { return re2_; }

 private:
  RE2 re2_;
};

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

  // The smallest text >= `text` that may match, by prefix alone; false when no such text can match.
  bool NextCandidate(std::string_view text, std::string* next) const {
    if (text <= prefix_) {
      *next = prefix_;
      return true;
    }
    // All texts with the prefix are neighbours, so after the last of them none follows. An empty
    // prefix (any name, or a regex without an anchor) rules out no text.
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

class PatternListMatcher final : public ColumnMatcher {
 public:
  struct Pair {
    PartMatcher family;
    PartMatcher qualifier;
  };
  // No pattern at all means every column, as in a ReadSpec.
  explicit PatternListMatcher(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {
    matches_all_ = pairs_.empty() || std::any_of(pairs_.begin(), pairs_.end(), [](const Pair& p) {
                     return p.family.IsAny() && p.qualifier.IsAny();
                   });
  }

  bool MatchesAll() const override { return matches_all_; }

  bool MatchesFamily(std::string_view family) const override {
    return matches_all_ || std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
             return pair.family.Matches(family);
           });
  }

  bool Matches(std::string_view family, std::string_view qualifier) const override {
    return matches_all_ || std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
             return pair.family.Matches(family) && pair.qualifier.Matches(qualifier);
           });
  }

  void MatchIndexes(std::string_view family, std::string_view qualifier,
                    std::vector<int>* out) const override {
    for (size_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i].family.Matches(family) && pairs_[i].qualifier.Matches(qualifier)) {
        out->push_back(static_cast<int>(i));
      }
    }
  }

  bool NextQualifier(std::string_view family, std::string_view qualifier,
                     std::string* next) const override {
    if (matches_all_) {
      *next = qualifier;
      return true;
    }
    // Any pattern may match, so the smallest of their candidates is the next one.
    bool found = false;
    std::string candidate;
    for (const Pair& pair : pairs_) {
      if (!pair.family.Matches(family)) continue;
      if (!pair.qualifier.NextCandidate(qualifier, &candidate)) continue;
      if (!found || candidate < *next) *next = candidate;
      found = true;
    }
    return found;
  }

 private:
  std::vector<Pair> pairs_;
  bool matches_all_ = false;
};

}  // namespace

StatusOr<std::shared_ptr<const BytesRegex>> BytesRegex::Compile(std::string_view pattern,
                                                                bool case_insensitive) {
  // Before the regex is compiled, because compiling costs more the longer the text is.
  RETURN_IF_ERROR(CheckRegexSize(pattern));
  auto regex = std::make_shared<Re2Regex>(pattern, BytesRegexOptions(case_insensitive));
  RETURN_IF_ERROR(CheckRegexCompiled(regex->re2()));
  return std::shared_ptr<const BytesRegex>(std::move(regex));
}

StatusOr<std::unique_ptr<ColumnMatcher>> ColumnMatcher::Compile(
    const std::vector<ColumnPattern>& patterns) {
  std::vector<PatternListMatcher::Pair> pairs(patterns.size());
  for (size_t i = 0; i < patterns.size(); ++i) {
    RETURN_IF_ERROR(pairs[i].family.Compile(patterns[i].family));
    RETURN_IF_ERROR(pairs[i].qualifier.Compile(patterns[i].qualifier));
  }
  return std::unique_ptr<ColumnMatcher>(new PatternListMatcher(std::move(pairs)));
}

}  // namespace sippar::engine
