// The plan of UPDATE, DELETE, INCREMENT and APPEND: the rows that WHERE selects, and the change to
// make to each of them. Each row is changed atomically, the statement as a whole is not. Run by
// execute/update.cc, shown by EXPLAIN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/schema.h"
#include "query/plan/row_ranges.h"
#include "query/plan/select_plan.h"
#include "query/plan/update_builder.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// The parts of WHERE in a statement that writes.
struct Target {
  engine::RowSet rows;                     // rows that may pass WHERE
  std::optional<engine::Expression> rest;  // tests that `rows` does not express
  NamedRows named;                         // rows that INCREMENT and APPEND may create
  Span span;
};

struct RowsPlan {
  enum How : uint8_t {
    kListed,   // `keys` lists the rows, and each is updated without a scan
    kScanned,  // a scan finds the rows, each of which is updated
    kDropped,  // a scan finds the keys, and whole rows are deleted in batches
  };
  How how = kScanned;
  std::shared_ptr<const engine::TableSchema> schema;
  std::unique_ptr<UpdateBuilder> builder;
  Target target;
  std::vector<std::string> keys;  // kListed: keys of the rows to update
  bool has_where = false;         // false: the statement says ALL ROWS
  // True if the statement creates rows that do not exist.
  bool makes_rows = false;
  bool conditional = false;  // the statement has IF
  bool returns = false;      // the statement has RETURNING
};

[[nodiscard]] StatusOr<RowsPlan> PlanRows(const StatementContext& context,
                                          const syntax::Update& update);
[[nodiscard]] StatusOr<RowsPlan> PlanRows(const StatementContext& context,
                                          const syntax::Delete& statement);
[[nodiscard]] StatusOr<RowsPlan> PlanRows(const StatementContext& context,
                                          const syntax::Increment& increment);
[[nodiscard]] StatusOr<RowsPlan> PlanRows(const StatementContext& context,
                                          const syntax::Append& append);

// True if WHERE does not narrow the rows of the table and the session forbids that (safe_updates).
// ALL ROWS is allowed.
bool IsUnsafe(const StatementContext& context, const RowsPlan& plan);
// The plan that finds the keys of the rows. `plan` must not be kListed.
SelectPlan KeyScan(const StatementContext& context, const RowsPlan& plan);
// The update to run on each row. Call it once, and not for kDropped.
engine::RowUpdate FinishUpdate(RowsPlan* plan);

}  // namespace sippar::query
