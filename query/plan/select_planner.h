// The making of a SelectPlan, shared by plan_select.cc (sources, items), plan_aggregates.cc and
// plan_limits.cc (order, limits, paging). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/analyze/compile.h"
#include "query/analyze/data_types.h"
#include "query/analyze/scope.h"
#include "query/plan/select_plan.h"

namespace sippar::query {

// The steps are called in the order of Plan(). SELECT CELLS p FROM t is planned as
// SELECT row, column, timestamp, value FROM CELLS(t, p).
struct SelectPlanner {
  const StatementContext& context;
  const syntax::Select& select;
  SelectPlan plan;
  engine::TableSchema schema;
  std::unique_ptr<Scope> scope;
  RowScope* row_scope = nullptr;
  CellScope* cell_scope = nullptr;
  Aliases aliases;
  std::vector<syntax::SelectItem> items;  // `*` written out
  std::vector<engine::ColumnPattern> cell_patterns;
  bool storage_order = true;
  bool with_history = false;  // columns that stand alone show their versions

  StatusOr<SelectPlan> Plan();
  Status PlanSource();
  Status PlanTable();
  Status PlanCellItems();
  Status ExpandStars();
  Status PlanWhere();
  Status PlanOutputs();
  Status PlanAggregates();
  Status PlanOrder();
  Status PlanLimit();
  Status PlanAfter();
  void AddPageKeys();
  Status FinishRead();
  void PushLimit();

  ExpressionCompiler Compiler() {
    ExpressionCompiler compiler(context, scope.get());
    compiler.SetAliases(&aliases);
    return compiler;
  }
  StatusOr<Expression> CompileItem(const syntax::SelectItem& item);
  std::optional<syntax::PatternNode> AsPattern(const syntax::Expr& expr) const;
  bool IsAggregate() const;
  bool IsRowOrder(const syntax::OrderItem& order);
  // GROUP BY, HAVING and ORDER BY mean an item by its alias (also when a family has that name) or
  // its number.
  const syntax::Expr& Unaliased(const syntax::Expr& expr) const;
  std::vector<SlotDef> Slots() const;
  void NameColumns();
  std::vector<DataType> OutputTypes() const;  // of what the outputs' slots hold
};

}  // namespace sippar::query
