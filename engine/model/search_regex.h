// A regex with which functions of the query language search values. RE2 cannot be stopped within a
// search, so a search that may take long runs apart from its caller. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/base/stop_budget.h"

namespace sippar::engine {

class SearchRegex {
 public:
  // kInvalidArgument: the pattern is malformed or too long.
  [[nodiscard]] static StatusOr<std::shared_ptr<const SearchRegex>> Compile(
      std::string_view pattern, bool case_insensitive);
  virtual ~SearchRegex() = default;

  // The three searches end early with the status of `budget`'s signal.
  [[nodiscard]] virtual StatusOr<bool> Found(std::string_view text, StopBudget* budget) const = 0;
  // Group `group` of the first match (0: the whole match); nullopt when there is none. Without
  // `group`: the first group, or the whole match when that group took no part in it.
  [[nodiscard]] virtual StatusOr<std::optional<std::string>> Extract(std::string_view text,
                                                                     std::optional<int> group,
                                                                     StopBudget* budget) const = 0;
  // `text` with every match replaced; stops once the result exceeds limits::kValueSizeMax. Requires
  // that CheckRewrite(rewrite) is OK.
  [[nodiscard]] virtual StatusOr<std::string> ReplaceAll(std::string_view text,
                                                         std::string_view rewrite,
                                                         StopBudget* budget) const = 0;
  // kInvalidArgument: `rewrite` names a group that the regex does not have, or has a wrong escape.
  [[nodiscard]] virtual Status CheckRewrite(std::string_view rewrite) const = 0;
  virtual int GroupCount() const = 0;  // not counting the whole match
};

}  // namespace sippar::engine
