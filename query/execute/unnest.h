// UNNEST after another source in FROM: makes lines of a row, one for each item of a list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/stop_budget.h"
#include "engine/program/evaluate.h"
#include "query/plan/select_plan.h"

namespace sippar::query {

// Holds one line at a time: the next line overwrites it.
class LineMaker {
 public:
  // False when no more lines are needed.
  using LineConsumer = std::function<StatusOr<bool>(const engine::Row& line)>;

  // `plan` has UNNESTs; `plan` and `stop` outlive the maker.
  [[nodiscard]] static StatusOr<std::unique_ptr<LineMaker>> Prepare(const SelectPlan& plan,
                                                                    const engine::StopSignal& stop);
  // Passes the lines of `row` to `give`, in the order of the items; the items of the last UNNEST
  // change fastest. Returns false once `give` returns false.
  [[nodiscard]] StatusOr<bool> MakeLines(engine::Row row, const LineConsumer& give);

 private:
  LineMaker(const SelectPlan& plan, const engine::StopSignal& stop) : plan_(plan), budget_(&stop) {}
  // Makes the lines that begin as line_ does, with the items of the UNNEST at `index` and after it.
  StatusOr<bool> AddItems(size_t index, const LineConsumer& give);

  const SelectPlan& plan_;
  engine::StopBudget budget_;
  std::vector<std::unique_ptr<engine::Evaluator>> lists_;  // the list of each UNNEST
  engine::Row line_;
};

}  // namespace sippar::query
