// What happens to the rows of a SELECT after the tablets: HAVING and final values, DISTINCT, order,
// LIMIT BY, OFFSET, LIMIT, the page key. SPDX-License-Identifier: Apache-2.0
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

// Takes finished rows (only the shown values); false = enough.
using RowConsumer = std::function<StatusOr<bool>(std::vector<Row>)>;

class ResultStages {
 public:
  ResultStages(const StatementContext& context, const SelectPlan& plan, RowConsumer consumer)
      : context_(context), plan_(plan), consumer_(std::move(consumer)), budget_(&context.stop) {}

  // Rows as the program gives them (not aggregated). False = enough.
  [[nodiscard]] StatusOr<bool> Add(std::vector<Row> rows);
  // Aggregate mode: keys and finished values of all groups.
  [[nodiscard]] Status AddGroups(const std::vector<Row>& groups);
  [[nodiscard]] Status Finish();
  // "AFTER …" when rows were left.
  std::string next() const;

 private:
  StatusOr<bool> Pass(std::vector<Row> rows);
  Status AddToSort(std::vector<Row> rows);
  bool IsWanted(const Row& row);
  bool TakesByLimitBy(const Row& row);

  const StatementContext& context_;
  const SelectPlan& plan_;
  RowConsumer consumer_;
  engine::StopBudget budget_;
  std::vector<Row> sorted_;
  size_t sort_bytes_ = 0;
  std::unordered_set<std::string> distinct_;
  size_t distinct_bytes_ = 0;
  std::unordered_map<std::string, uint64_t> by_counts_;
  uint64_t skipped_ = 0;
  uint64_t given_ = 0;
  bool more_ = false;
  Row page_key_;
};

}  // namespace sippar::query
