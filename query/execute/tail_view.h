// Decides which changes TAIL shows, as what rows (patterns, WHERE, the columns), and where it ends.
// Used from one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cluster/api/change_api.h"
#include "engine/model/cell.h"
#include "engine/model/column_pattern.h"
#include "engine/model/schema.h"
#include "engine/program/evaluate.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

struct TailEnd {
  uint64_t limit = UINT64_MAX;    // number of rows to show
  std::optional<int64_t> end_us;  // last time to show; none: no end
};
[[nodiscard]] StatusOr<TailEnd> PlanTailEnd(const StatementContext& context,
                                            const syntax::Tail& tail);

class TailView {
 public:
  // Binds the patterns and WHERE of the statement to the table's schema.
  [[nodiscard]] Status Prepare(const StatementContext& context, const engine::TableSchema& schema,
                               const syntax::Tail& tail);

  // The columns of the rows: committed, row, op, column, timestamp and value.
  static std::vector<ResultColumn> ShownColumns();
  const std::vector<engine::ColumnPattern>& patterns() const { return patterns_; }

  // Appends the rows that show `change`.
  [[nodiscard]] Status Add(const cluster::Change& change, std::vector<Row>* rows) const;
  // Appends the row that shows `cell` as set; none if WHERE leaves it out. The commit time of a
  // cell is not known, so `committed` is NULL. Requires: the column matches the patterns.
  [[nodiscard]] Status AddCell(const engine::CellView& cell, std::vector<Row>* rows) const;

 private:
  [[nodiscard]] Status AddIfPassing(Row row, std::vector<Row>* rows) const;
  Row RowOf(const cluster::Change& change, const engine::MutationEntry& entry) const;

  engine::TableSchema schema_;
  std::vector<engine::ColumnPattern> patterns_;
  std::unique_ptr<engine::ColumnMatcher> columns_;
  std::unique_ptr<engine::Evaluator> where_;
};

}  // namespace sippar::query
