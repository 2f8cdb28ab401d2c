// SPDX-License-Identifier: Apache-2.0
#include "engine/model/search_regex.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "engine/base/coding.h"
#include "engine/base/run_apart.h"
#include "engine/base/utf8.h"
#include "engine/model/re2_options.h"
#include "engine/model/regex_prefix.h"

namespace sippar::engine {
namespace {

using Groups = std::vector<re2::StringPiece>;
using Answer = StatusOr<std::optional<std::string>>;
// One search in one text. It may run on an abandoned thread, so it holds no reference to its
// caller's data.
using Search = std::function<Answer(const RE2& regex, std::string_view text, StopBudget* budget)>;

// The most steps of a search on the caller's thread. The steps are text bytes times regex
// instructions; RE2's slowest matcher takes a few nanoseconds per step, so this many take about 0.1
// s. For longer searches the cost of a thread is negligible.
constexpr uint64_t kStepsAtOnce = 32'000'000;

// The size of the unit at `at`: a byte, or a character of UTF-8. At the end of the text it is 1.
size_t UnitSize(const RE2& regex, std::string_view text, size_t at) {
  if (regex.options().encoding() != RE2::Options::EncodingUTF8) return 1;
  return std::max<size_t>(FirstCharacter(text.substr(at)).size, 1);
}

bool MatchFrom(const RE2& regex, std::string_view text, size_t from, Groups* groups) {
  return regex.Match(BytesPiece(text), from, text.size(), RE2::UNANCHORED, groups->data(),
                     static_cast<int>(groups->size()));
}

Answer ExtractGroup(const RE2& regex, std::string_view text, std::optional<int> group) {
  int count = regex.NumberOfCapturingGroups();
  int wanted = group.value_or(count == 0 ? 0 : 1);
  if (wanted < 0 || wanted > count) return std::optional<std::string>();
  Groups groups(static_cast<size_t>(wanted) + 1);
  if (!MatchFrom(regex, text, 0, &groups)) return std::optional<std::string>();
  const re2::StringPiece& piece = groups.back();
  if (piece.data() == nullptr) return std::optional<std::string>();
  return std::optional(std::string(piece.data(), piece.size()));
}

// Like RE2::GlobalReplace, but with a budget, so that it can be stopped: if each match reads the
// whole rest of the text, the time is quadratic.
Answer Replace(const RE2& regex, std::string_view text, const std::string& rewrite,
               StopBudget* budget) {
  Groups groups(static_cast<size_t>(RE2::MaxSubmatch(BytesPiece(rewrite))) + 1);
  std::string result;
  size_t at = 0;
  size_t last_end = std::string_view::npos;
  while (at <= text.size() && MatchFrom(regex, text, at, &groups)) {
    RETURN_IF_ERROR(budget->Spend(text.size() - at + StopBudget::kStep));
    size_t begin = static_cast<size_t>(groups[0].data() - text.data());
    result.append(text, at, begin - at);
    at = begin;
    // As in RE2::GlobalReplace, an empty match directly after another match is not replaced.
    if (begin == last_end && groups[0].empty()) {
      const size_t unit = UnitSize(regex, text, at);
      if (at < text.size()) result.append(text, at, unit);
      at += unit;
      continue;
    }
    regex.Rewrite(&result, BytesPiece(rewrite), groups.data(), static_cast<int>(groups.size()));
    if (result.size() > limits::kValueSizeMax) return std::optional(std::move(result));
    at = last_end = begin + groups[0].size();
  }
  if (at < text.size()) result.append(text, at);
  return std::optional(std::move(result));
}

constexpr uint64_t kNoPart = UINT64_MAX;

// Returns the begin and end of each match as 16 bytes, so that they can be passed on as an Answer;
// kNoPart twice if the group took no part.
Answer FindAll(const RE2& regex, std::string_view text, size_t from, size_t count,
               StopBudget* budget) {
  Groups groups(regex.NumberOfCapturingGroups() > 0 ? 2 : 1);
  std::string places;
  bool is_done = false;
  for (size_t found = 0; found < count && from <= text.size() && !is_done; ++found) {
    if (!MatchFrom(regex, text, from, &groups)) break;
    RETURN_IF_ERROR(budget->Spend(text.size() - from + StopBudget::kStep));
    const re2::StringPiece& piece = groups.back();
    const bool has_part = piece.data() != nullptr;
    const auto begin = has_part ? static_cast<uint64_t>(piece.data() - text.data()) : kNoPart;
    PutFixed64(&places, begin);
    PutFixed64(&places, has_part ? begin + piece.size() : kNoPart);
    const re2::StringPiece& whole = groups.front();
    from = static_cast<size_t>(whole.data() - text.data()) + whole.size();
    is_done = from == text.size() && !whole.empty();
    // The search continues one unit after an empty match, or it would find the same match again.
    if (whole.empty()) from += UnitSize(regex, text, from);
  }
  return std::optional(std::move(places));
}

// Searches a copy of `text` on another thread, which is abandoned when the signal of `budget` ends
// the call.
Answer Apart(std::shared_ptr<const RE2> regex, const Search& search, std::string_view text,
             const StopBudget& budget) {
  struct Job {
    std::shared_ptr<const RE2> regex;
    std::string text;
    Search search;
    Answer answer = std::optional<std::string>();
  };
  auto job = std::make_shared<Job>(Job{std::move(regex), std::string(text), search});
  RETURN_IF_ERROR(RunApart(
      [job](const StopSignal& left) {
        StopBudget own(&left);
        job->answer = job->search(*job->regex, job->text, &own);
      },
      *budget.signal()));
  return std::move(job->answer);
}

}  // namespace

SearchRegex::SearchRegex(std::shared_ptr<const RE2> regex, bool case_insensitive)
    : regex_(std::move(regex)), size_(static_cast<uint64_t>(regex_->ProgramSize())) {
  if (!case_insensitive) literal_ = LiteralInside(PatternOf(*regex_), &is_literal_);
}

StatusOr<std::shared_ptr<const SearchRegex>> SearchRegex::Compile(std::string_view pattern,
                                                                  bool case_insensitive,
                                                                  RegexUnit unit) {
  RETURN_IF_ERROR(CheckRegexSize(pattern));
  std::shared_ptr<const RE2> regex = CompileRegex(pattern, case_insensitive, unit);
  RETURN_IF_ERROR(CheckRegexCompiled(*regex));
  return std::shared_ptr<const SearchRegex>(new SearchRegex(std::move(regex), case_insensitive));
}

bool SearchRegex::IsShort(std::string_view text, const StopBudget& budget) const {
  return budget.signal() == nullptr || text.size() * size_ < kStepsAtOnce;
}

StatusOr<bool> SearchRegex::Found(std::string_view text, StopBudget* budget) const {
  // memmem takes linear time: about 10 ms for the largest value, which has 100 MiB.
  if (!literal_.empty()) {
    if (memmem(text.data(), text.size(), literal_.data(), literal_.size()) == nullptr) return false;
    if (is_literal_) return true;
  }
  if (IsShort(text, *budget)) return RE2::PartialMatch(BytesPiece(text), *regex_);
  Search find = [](const RE2& regex, std::string_view whole, StopBudget*) -> Answer {
    if (RE2::PartialMatch(BytesPiece(whole), regex)) return std::optional<std::string>("");
    return std::optional<std::string>();
  };
  ASSIGN_OR_RETURN(std::optional<std::string> found, Apart(regex_, find, text, *budget));
  return found.has_value();
}

StatusOr<std::optional<std::string>> SearchRegex::Extract(std::string_view text,
                                                          std::optional<int> group,
                                                          StopBudget* budget) const {
  if (IsShort(text, *budget)) return ExtractGroup(*regex_, text, group);
  Search extract = [group](const RE2& regex, std::string_view whole, StopBudget*) {
    return ExtractGroup(regex, whole, group);
  };
  return Apart(regex_, extract, text, *budget);
}

StatusOr<std::string> SearchRegex::ReplaceAll(std::string_view text, std::string_view rewrite,
                                              StopBudget* budget) const {
  std::string wanted(rewrite);
  Search replace = [wanted](const RE2& regex, std::string_view whole, StopBudget* own) {
    return Replace(regex, whole, wanted, own);
  };
  Answer replaced = IsShort(text, *budget) ? Replace(*regex_, text, wanted, budget)
                                           : Apart(regex_, replace, text, *budget);
  if (!replaced.ok()) return replaced.status();
  return *std::move(*replaced);
}

StatusOr<std::vector<RegexMatch>> SearchRegex::Matches(std::string_view text, size_t from,
                                                       size_t count, StopBudget* budget) const {
  Search find = [from, count](const RE2& regex, std::string_view whole, StopBudget* own) {
    return FindAll(regex, whole, from, count, own);
  };
  Answer places = IsShort(text, *budget) ? FindAll(*regex_, text, from, count, budget)
                                         : Apart(regex_, find, text, *budget);
  if (!places.ok()) return places.status();
  std::vector<RegexMatch> matches;
  for (size_t at = 0; at < (*places)->size(); at += 16) {
    const char* pair = (*places)->data() + at;
    const uint64_t begin = GetFixed64(pair);
    if (begin == kNoPart) {
      matches.push_back({0, 0, false});
    } else {
      matches.push_back({begin, GetFixed64(pair + 8), true});
    }
  }
  return matches;
}

Status SearchRegex::CheckRewrite(std::string_view rewrite) const {
  std::string problem;
  if (regex_->CheckRewriteString(BytesPiece(rewrite), &problem)) return OkStatus();
  const int group = RE2::MaxSubmatch(BytesPiece(rewrite));
  const int groups = GroupCount();
  if (group <= groups) {
    return InvalidArgument(
        fmt::format("replacement '{}': a \\ must be followed by a digit or another \\", rewrite));
  }
  return InvalidArgument(fmt::format(
      "regex /{}/: the replacement uses group \\{} ({}); write a group as ( )", PatternOf(*regex_),
      group, groups == 0 ? std::string("it has none") : fmt::format("its last is \\{}", groups)));
}

int SearchRegex::GroupCount() const { return regex_->NumberOfCapturingGroups(); }

}  // namespace sippar::engine
