// Builds the engine::RowUpdate of a writing statement: assignments, deletions, conditions,
// RETURNING. The update is a template: it serves every row that the statement touches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/program/row_update.h"
#include "query/analyze/scope.h"
#include "query/session/result.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

class UpdateBuilder {
 public:
  // `context` and `schema` outlive the builder.
  UpdateBuilder(const StatementContext& context, const engine::TableSchema& schema);

  RowScope* scope() { return &scope_; }
  [[nodiscard]] Status AddAssign(const syntax::Assign& assign,
                                 const std::optional<engine::Expression>& guard = {});
  // Adds a write (set, increment or append) of a value that is compiled already. NOT_EXACT if
  // `column` names several columns, TYPE if it cannot hold the value.
  [[nodiscard]] Status AddWrite(engine::RowWrite::Kind kind, const syntax::PatternNode& column,
                                engine::Expression value);
  // Adds deletions. Without patterns they delete the whole row or, with times, cells of every
  // column.
  [[nodiscard]] Status AddDeletes(const std::vector<syntax::PatternNode>& patterns,
                                  const syntax::TimeSpan& times,
                                  const std::optional<engine::Expression>& guard = {});
  // Makes the update conditional; several conditions must all be TRUE.
  [[nodiscard]] Status AddCondition(const syntax::OptionalExpr& condition);
  void AddCondition(std::optional<engine::Expression> condition);
  [[nodiscard]] Status AddReturning(const std::vector<syntax::SelectItem>& items);
  // Compiles the items of RETURN and appends their columns to *columns.
  [[nodiscard]] StatusOr<std::vector<engine::Expression>> CompileItems(
      const std::vector<syntax::SelectItem>& items, std::vector<ResultColumn>* columns);
  // Sets what the update returns. `values` has one value for each column; hidden values may follow.
  void SetReturning(std::vector<ResultColumn> columns, std::vector<engine::Expression> values);
  // Keeps a value for later statements of ATOMIC and returns the slot that reads it. If `name` is
  // empty, no expression can name the value.
  engine::Expression AddLet(const std::string& name, engine::Expression value,
                            const std::optional<engine::Expression>& guard);
  void AddFailure(const std::optional<engine::Expression>& guard, engine::Expression message);
  // Begins the next statement of ATOMIC, which sees the writes that were added before.
  void NextStatement() { ++statement_; }
  void SetOnlyIfExists() { update_.only_if_exists = true; }

  const std::vector<ResultColumn>& returning_columns() const { return returning_columns_; }
  // False if the update does not depend on the row: it can then be planned without reading it.
  bool ReadsRow() const;
  // The finished update. The caller sets its row.
  engine::RowUpdate Finish();

 private:
  [[nodiscard]] Status CheckValue(engine::RowWrite::Kind kind, const syntax::PatternNode& column,
                                  const engine::ColumnPattern& pattern,
                                  const engine::Expression& value) const;
  engine::RowWrite& NewWrite(engine::RowWrite::Kind kind);
  [[nodiscard]] StatusOr<engine::ColumnPattern> ExactColumn(const syntax::PatternNode& column);

  const StatementContext& context_;
  const engine::TableSchema& schema_;
  RowScope scope_;
  engine::RowUpdate update_;
  std::vector<ResultColumn> returning_columns_;
  std::vector<engine::ColumnPattern> deleted_;  // patterns of columns to delete
  bool deletes_rows_ = false;
  uint32_t statement_ = 0;
  uint32_t lets_ = 0;
};

// True if one of the slots counts or lists versions, so that the read must return all versions of a
// column.
[[nodiscard]] bool NeedsAllVersions(const std::vector<engine::SlotDef>& slots);

// The time ranges of a TIME or AT clause; empty: all times. RANGE if FROM is not before TO.
[[nodiscard]] StatusOr<std::vector<engine::TimeRange>> PlanTimes(const StatementContext& context,
                                                                 const syntax::TimeSpan& times);

}  // namespace sippar::query
