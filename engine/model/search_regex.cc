// SPDX-License-Identifier: Apache-2.0
#include "engine/model/search_regex.h"

#include <functional>
#include <utility>
#include <vector>

#include "engine/base/run_apart.h"
#include "engine/model/re2_options.h"

namespace sippar::engine {
namespace {

using Groups = std::vector<re2::StringPiece>;
using Answer = StatusOr<std::optional<std::string>>;
// One search in one text. It may run on an abandoned thread, so it holds no reference to its
// caller's data.
using Search = std::function<Answer(const RE2& regex, std::string_view text, StopBudget* budget)>;

// A product of text bytes and regex instructions. RE2's slowest matcher takes a few nanoseconds for
// each, so this many take about 100 ms: shorter searches run on the caller's thread, for longer
// ones the cost of a thread is negligible.
constexpr uint64_t kStepsAtOnce = 32'000'000;

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

bool MatchFrom(const RE2& regex, std::string_view text, size_t from, Groups* groups) {
  return regex.Match(Piece(text), from, text.size(), RE2::UNANCHORED, groups->data(),
                     static_cast<int>(groups->size()));
}

Answer ExtractGroup(const RE2& regex, std::string_view text, std::optional<int> group) {
  int count = regex.NumberOfCapturingGroups();
  int wanted = group.value_or(count == 0 ? 0 : 1);
  if (wanted < 0 || wanted > count) return std::optional<std::string>();
  Groups groups(static_cast<size_t>(wanted) + 1);
  if (!MatchFrom(regex, text, 0, &groups)) return std::optional<std::string>();
  const re2::StringPiece* piece = &groups.back();
  if (piece->data() == nullptr && !group) piece = &groups.front();
  if (piece->data() == nullptr) return std::optional<std::string>();
  return std::optional(std::string(piece->data(), piece->size()));
}

// Like RE2::GlobalReplace, but it can be stopped: when each match looks at the whole rest of the
// text, the time is quadratic.
Answer Replace(const RE2& regex, std::string_view text, const std::string& rewrite,
               StopBudget* budget) {
  Groups groups(static_cast<size_t>(RE2::MaxSubmatch(Piece(rewrite))) + 1);
  std::string result;
  size_t at = 0;
  size_t last_end = std::string_view::npos;
  while (at <= text.size() && MatchFrom(regex, text, at, &groups)) {
    RETURN_IF_ERROR(budget->Spend(text.size() - at + StopBudget::kStep));
    size_t begin = static_cast<size_t>(groups[0].data() - text.data());
    result.append(text, at, begin - at);
    at = begin;
    // An empty match right after a match does not count.
    if (begin == last_end && groups[0].empty()) {
      if (at < text.size()) result.push_back(text[at]);
      ++at;
      continue;
    }
    regex.Rewrite(&result, Piece(rewrite), groups.data(), static_cast<int>(groups.size()));
    if (result.size() > limits::kValueSizeMax) return std::optional(std::move(result));
    at = last_end = begin + groups[0].size();
  }
  if (at < text.size()) result.append(text, at);
  return std::optional(std::move(result));
}

class Re2SearchRegex final : public SearchRegex {
 public:
  explicit Re2SearchRegex(std::shared_ptr<const RE2> regex)
      : regex_(std::move(regex)), size_(static_cast<uint64_t>(regex_->ProgramSize())) {}

  StatusOr<bool> Found(std::string_view text, StopBudget* budget) const override {
    if (IsShort(text, *budget)) return RE2::PartialMatch(Piece(text), *regex_);
    Search find = [](const RE2& regex, std::string_view whole, StopBudget*) -> Answer {
      if (RE2::PartialMatch(Piece(whole), regex)) return std::optional<std::string>("");
      return std::optional<std::string>();
    };
    ASSIGN_OR_RETURN(std::optional<std::string> found, Apart(find, text, *budget));
    return found.has_value();
  }

  StatusOr<std::optional<std::string>> Extract(std::string_view text, std::optional<int> group,
                                               StopBudget* budget) const override {
    if (IsShort(text, *budget)) return ExtractGroup(*regex_, text, group);
    return Apart([group](const RE2& regex, std::string_view whole,
                         StopBudget*) { return ExtractGroup(regex, whole, group); },
                 text, *budget);
  }

  StatusOr<std::string> ReplaceAll(std::string_view text, std::string_view rewrite,
                                   StopBudget* budget) const override {
    std::string wanted(rewrite);
    Answer replaced =
        IsShort(text, *budget)
            ? Replace(*regex_, text, wanted, budget)
            : Apart([wanted](const RE2& regex, std::string_view whole,
                             StopBudget* own) { return Replace(regex, whole, wanted, own); },
                    text, *budget);
    if (!replaced.ok()) return replaced.status();
    return *std::move(*replaced);
  }

  Status CheckRewrite(std::string_view rewrite) const override {
    return CheckRewriteOf(*regex_, rewrite);
  }

  int GroupCount() const override { return regex_->NumberOfCapturingGroups(); }

 private:
  bool IsShort(std::string_view text, const StopBudget& budget) const {
    return budget.signal() == nullptr || text.size() * size_ < kStepsAtOnce;
  }

  Answer Apart(const Search& search, std::string_view text, const StopBudget& budget) const {
    struct Job {
      std::shared_ptr<const RE2> regex;
      std::string text;
      Search search;
      Answer answer = std::optional<std::string>();
    };
    auto job = std::make_shared<Job>(Job{regex_, std::string(text), search});
    RETURN_IF_ERROR(RunApart(
        [job](const StopSignal& left) {
          StopBudget own(&left);
          job->answer = job->search(*job->regex, job->text, &own);
        },
        *budget.signal()));
    return std::move(job->answer);
  }

  const std::shared_ptr<const RE2> regex_;
  const uint64_t size_;  // instructions of the compiled regex
};

}  // namespace

StatusOr<std::shared_ptr<const SearchRegex>> SearchRegex::Compile(std::string_view pattern,
                                                                  bool case_insensitive) {
  RETURN_IF_ERROR(CheckRegexSize(pattern));
  auto regex = std::make_shared<const RE2>(Piece(pattern), BytesRegexOptions(case_insensitive));
  RETURN_IF_ERROR(CheckRegexCompiled(*regex));
  return std::make_shared<const Re2SearchRegex>(std::move(regex));
}

}  // namespace sippar::engine
