// The plan of INSERT … SELECT: the plan of its SELECT, and where its values go. Nothing is written
// before the plan is complete.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "query/execute/insert_columns.h"
#include "query/plan/select_plan.h"

namespace sippar::query {

struct InsertSelectPlan {
  SelectPlan select;
  // True: the SELECT returns cells (row, column, timestamp, value), which keep their times. False:
  // `columns` says where each value goes.
  bool cells = false;
  InsertColumns columns;
  // Index of the value that holds the key of the source row. nullopt: a row of the result does not
  // come from one source row, or the rows are not in the order of the table.
  std::optional<size_t> source_row_at;
  // The SELECT reads the table that is written, and delivers its first rows while it is still
  // reading.
  bool reads_what_it_writes = false;
};

[[nodiscard]] StatusOr<InsertSelectPlan> PlanInsertSelect(const StatementContext& context,
                                                          const engine::TableSchema& schema,
                                                          const syntax::Insert& insert);

}  // namespace sippar::query
