// The stages that the rows of a SELECT pass after the tablets, in this order: HAVING and final
// values, order, DISTINCT, LIMIT BY, OFFSET, LIMIT, and the page key that continues the result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/base/stop_budget.h"
#include "query/plan/select_plan.h"
#include "query/session/session.h"

namespace sippar::query {

// Receives finished rows, which hold only the shown values. Returns false when it needs no more
// rows.
using RowConsumer = std::function<StatusOr<bool>(std::vector<Row>)>;

class ResultStages {
 public:
  ResultStages(const StatementContext& context, const SelectPlan& plan, RowConsumer consumer)
      : context_(context), plan_(plan), consumer_(std::move(consumer)), budget_(&context.stop) {}

  // Adds rows of a program without aggregates. False if the result is complete.
  [[nodiscard]] StatusOr<bool> Add(std::vector<Row> rows);
  // Adds the keys and finished values of all groups of a program with aggregates.
  [[nodiscard]] Status AddGroups(const std::vector<Row>& groups);
  // Sorts the rows if the plan sorts, and passes them on. Call it once, at the end.
  [[nodiscard]] Status Finish();
  // Returns the clause "AFTER …" that continues the result if LIMIT cut the result, else "".
  std::string next() const;

 private:
  // Runs the stages from DISTINCT to the page key.
  StatusOr<bool> Pass(std::vector<Row> rows);
  Status AddToSort(std::vector<Row> rows);
  Status SortRows();
  Status DropByLimitBy();
  bool IsWanted(const Row& row);
  bool TakesByLimitBy(const Row& row);

  const StatementContext& context_;
  const SelectPlan& plan_;
  RowConsumer consumer_;
  engine::StopBudget budget_;
  // During a sort, LIMIT BY drops rows when the sort holds at least this many rows, and at least
  // twice as many as remained after the last drop.
  static constexpr size_t kDropRows = 50'000;

  std::vector<Row> sorted_;  // rows that wait for Finish
  size_t sort_bytes_ = 0;
  size_t drop_at_ = kDropRows;
  std::unordered_set<std::string> distinct_;             // DISTINCT: keys of the rows passed
  size_t distinct_bytes_ = 0;                            // memory of distinct_ and by_counts_
  std::unordered_map<std::string, uint64_t> by_counts_;  // LIMIT BY: rows seen for each value
  uint64_t skipped_ = 0;                                 // rows skipped for OFFSET
  uint64_t given_ = 0;                                   // rows passed to the consumer
  bool more_ = false;                                    // LIMIT left out at least one row
  Row page_key_;                                         // page key of the last row passed
};

}  // namespace sippar::query
