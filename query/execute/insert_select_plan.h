// The plan of INSERT … SELECT: the plan of its SELECT, and where its values go. Nothing is written
// before it is complete. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "query/execute/insert_columns.h"
#include "query/plan/select_plan.h"

namespace sippar::query {

struct InsertSelectPlan {
  SelectPlan select;
  // The rows are (row, column, timestamp, value): cells that keep their times. False: `columns`
  // says where each value goes.
  bool cells = false;
  InsertColumns columns;
  // The value that is the row of the source from which a row of the result was made. None: the
  // result's rows come from no single row, or in another order than that of the table.
  std::optional<size_t> source_row_at;
  // The SELECT reads the table that is written, and is still reading it when its first rows come.
  bool reads_what_it_writes = false;
};

[[nodiscard]] StatusOr<InsertSelectPlan> PlanInsertSelect(const StatementContext& context,
                                                          const engine::TableSchema& schema,
                                                          const syntax::Insert& insert);

}  // namespace sippar::query
