// Makes a SelectPlan. The steps are in plan_source.cc, plan_unnest.cc, plan_select.cc (items),
// plan_deletes.cc, plan_sample.cc, plan_aggregates.cc, and plan_limits.cc (order, limits, paging).
// Private to query/plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/analyze/compile.h"
#include "query/analyze/data_types.h"
#include "query/analyze/scope.h"
#include "query/analyze/unnest_scope.h"
#include "query/plan/select_plan.h"

namespace sippar::query {

// Plan() calls the steps in the order in which they depend on each other. SELECT CELLS p FROM t is
// planned as SELECT row, column, timestamp, value FROM CELLS(t, p), and with more columns WITH
// DELETES.
struct SelectPlanner {
  const StatementContext& context;
  const syntax::Select& select;
  SelectPlan plan;
  engine::TableSchema schema;
  std::unique_ptr<Scope> scope;
  RowScope* row_scope = nullptr;    // `scope` if it is a table's row view
  CellScope* cell_scope = nullptr;  // `scope` if it is a table's cell view
  Aliases aliases;
  std::vector<syntax::SelectItem> items;             // items with `*` expanded
  std::vector<engine::ColumnPattern> cell_patterns;  // cell view: columns to read; empty: all
  std::vector<DataType> input_types;                 // relation: column types that clients see
  bool storage_order = true;                         // rows come in the order of the table
  bool with_history = false;                         // items that are columns list their versions
  // FROM …, UNNEST(list): `source` plans what is before the UNNESTs, as a SELECT without items. Its
  // plan becomes plan.input in PlanInput, which gives it the items that this SELECT needs.
  std::unique_ptr<syntax::Select> source_select = nullptr;
  std::unique_ptr<SelectPlanner> source = nullptr;
  UnnestScope* unnest_scope = nullptr;  // `scope` if there is a `source`

  StatusOr<SelectPlan> Plan();
  Status PlanSource();
  Status PlanTable();
  Status PlanDeletes(const TableArgs& args);
  Status PlanRelation();  // FROM (SELECT …), FROM UNPACK(SELECT …)
  Status PlanUnnest();    // FROM UNNEST(constant)
  Status PlanUnnests();   // FROM …, UNNEST(list)
  Status AddUnnest(const syntax::Source& from);
  Status AddUnnestColumn(const syntax::Identifier& name, DataType in_scope, DataType of_client);
  Status PlanInput();
  void SplitWhere(std::vector<Expression>* beside);
  void ChooseInputs();
  void MoveLists(std::vector<Expression>* beside);
  Status PlanCellItems();
  Status ExpandStars();
  StatusOr<std::vector<syntax::SelectItem>> ItemsOfStar(const Span& span) const;
  Status PlanWhere();
  Status PlanSample();
  Status PlanOutputs();
  Status PlanAggregates();
  StatusOr<std::optional<Expression>> GroupSlot(const std::vector<const syntax::Expr*>& groups,
                                                const syntax::Expr& written);
  StatusOr<engine::AggregateDef> PlanAggregate(engine::AggregateDef::Kind kind,
                                               const syntax::Expr& expr);
  Status PlanOrder();
  Status PlanLimit();
  Status PlanAfter();
  // Adds the page key, hidden values from which the next page continues, if the result has pages.
  void AddPageKeys();
  Status FinishRead();
  // Lets the tablets apply the limit, unless aggregates, DISTINCT or LIMIT BY need all rows here.
  void PushLimit();

  ExpressionCompiler Compiler() {
    ExpressionCompiler compiler(context, scope.get());
    compiler.SetAliases(&aliases);
    return compiler;
  }
  Expression StrippedValue();
  StatusOr<Expression> CompileItem(const syntax::Expr& expr);
  // The value of an item that is shown otherwise than an expression sees it; nullopt: it is not.
  StatusOr<std::optional<Expression>> ShownValue(const syntax::Expr& expr);
  std::optional<syntax::PatternNode> AsPattern(const syntax::Expr& expr) const;
  bool IsAggregate() const;
  bool IsRowOrder(const syntax::OrderItem& order);
  // The item that GROUP BY, HAVING or ORDER BY names by its alias or its number, else `expr`. An
  // alias hides a family of the same name.
  const syntax::Expr& Unaliased(const syntax::Expr& expr) const;
  std::vector<SlotDef> Slots() const;
  void NameColumns();
  std::vector<DataType> SlotTypes() const;  // the types of the slots of `scope` for clients
  // The types of the slots on which the shown expressions are evaluated.
  std::vector<DataType> OutputTypes() const;
};

std::unique_ptr<SelectPlanner> NewPlanner(const StatementContext& context,
                                          const syntax::Select& select);

}  // namespace sippar::query
