// Builds the RowUpdate of a writing statement: assignments, deletions, conditions, RETURNING. One
// template serves every row the statement touches. SPDX-License-Identifier: Apache-2.0
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
  // Sets, adds or appends a value that is compiled already.
  [[nodiscard]] Status AddWrite(engine::RowWrite::Kind kind, const syntax::PatternNode& column,
                                engine::Expression value);
  // `patterns` empty: whole rows, or with times all columns.
  [[nodiscard]] Status AddDeletes(const std::vector<syntax::PatternNode>& patterns,
                                  const syntax::TimeSpan& times,
                                  const std::optional<engine::Expression>& guard = {});
  [[nodiscard]] Status AddCondition(const syntax::OptionalExpr& condition);
  void AddCondition(std::optional<engine::Expression> condition);
  [[nodiscard]] Status AddReturning(const std::vector<syntax::SelectItem>& items);
  // The value as a slot; `name` may be empty.
  engine::Expression AddLet(const std::string& name, engine::Expression value,
                            const std::optional<engine::Expression>& guard);
  void AddFailure(const std::optional<engine::Expression>& guard, engine::Expression message);
  // What is added from here on sees what was added before.
  void NextStatement() { ++statement_; }
  void SetOnlyIfExists() { update_.only_if_exists = true; }

  const std::vector<ResultColumn>& returning_columns() const { return returning_columns_; }
  // Without reads of the row: may be planned without it.
  bool ReadsRow() const;
  // The update; the row is left to the caller.
  engine::RowUpdate Finish();

 private:
  [[nodiscard]] Status CheckValue(engine::RowWrite::Kind kind, const syntax::PatternNode& column,
                                  const engine::Expression& value) const;
  engine::RowWrite& NewWrite(engine::RowWrite::Kind kind);
  [[nodiscard]] StatusOr<engine::ColumnPattern> ExactColumn(const syntax::PatternNode& column);

  const StatementContext& context_;
  const engine::TableSchema& schema_;
  RowScope scope_;
  engine::RowUpdate update_;
  std::vector<ResultColumn> returning_columns_;
  std::vector<engine::ColumnPattern> deleted_;
  bool deletes_rows_ = false;
  uint32_t statement_ = 0;
  uint32_t lets_ = 0;
};

// Times of a TIME or AT clause; none: all.
[[nodiscard]] StatusOr<std::vector<engine::TimeRange>> PlanTimes(const StatementContext& context,
                                                                 const syntax::TimeSpan& times);

}  // namespace sippar::query
