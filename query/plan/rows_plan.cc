// SPDX-License-Identifier: Apache-2.0
#include "query/plan/rows_plan.h"

#include <algorithm>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::SlotDef;

// True if the rows are a list of single keys.
bool IsListed(const engine::RowSet& rows) {
  return std::ranges::all_of(rows.ranges(),
                             [](const engine::RowRange& range) { return range.IsSingle(); });
}

StatusOr<Target> FindTarget(const StatementContext& context, UpdateBuilder* builder,
                            const syntax::Expr& where) {
  ExpressionCompiler compiler(context, builder->scope());
  ASSIGN_OR_RETURN(engine::Expression test, compiler.CompileTest(where));
  Target target;
  engine::StopBudget budget(&context.stop);
  const std::vector<SlotDef>& slots = builder->scope()->slots();
  ASSIGN_OR_RETURN(target.named, RowsNamed(test, slots, &budget));
  target.rest = std::move(test);
  ASSIGN_OR_RETURN(target.rows, ExtractRows(slots, &target.rest, &budget));
  target.span = where.span;
  return target;
}

StatusOr<RowsPlan> Begin(const StatementContext& context, const syntax::Identifier& table,
                         const syntax::OptionalExpr& where) {
  RowsPlan plan;
  ASSIGN_OR_RETURN(plan.schema, FindSchema(context, table));
  plan.builder = std::make_unique<UpdateBuilder>(context, *plan.schema);
  plan.has_where = where.has_value();
  if (where) {
    ASSIGN_OR_RETURN(plan.target, FindTarget(context, plan.builder.get(), *where));
  } else {
    plan.target.rows = engine::RowSet::All();
    plan.target.span = table.span;
  }
  return plan;
}

// Chooses how the rows are found for a statement that changes only rows that exist.
void FindExisting(RowsPlan* plan) {
  plan->builder->SetOnlyIfExists();
  if (!IsListed(plan->target.rows)) return;
  plan->how = RowsPlan::kListed;
  for (const engine::RowRange& range : plan->target.rows.ranges()) {
    // No row has an invalid key, so `row = ''` matches nothing rather than fails.
    if (engine::ValidateRowKey(range.start).ok()) plan->keys.push_back(range.start);
  }
}

// INCREMENT and APPEND create a missing row if WHERE names its key and holds for a row without
// cells. Which rows are named depends on the text of WHERE alone, not on the ranges that the
// planner derives from it: a better planner must not create other rows.
Status FindNamed(RowsPlan* plan) {
  if (!plan->target.named) {
    FindExisting(plan);
    return OkStatus();
  }
  plan->how = RowsPlan::kListed;
  plan->makes_rows = true;
  for (const std::string& row : *plan->target.named) {
    Status valid = engine::ValidateRowKey(row);
    if (!valid.ok()) return ErrorAt("BAD_ROW_KEY", plan->target.span, MessageOf(valid));
    if (plan->target.rows.Contains(row)) plan->keys.push_back(row);
  }
  return OkStatus();
}

}  // namespace

StatusOr<RowsPlan> PlanRows(const StatementContext& context, const syntax::Update& update) {
  ASSIGN_OR_RETURN(RowsPlan plan, Begin(context, update.table, update.where));
  FindExisting(&plan);
  for (const syntax::Assign& assign : update.assigns) {
    RETURN_IF_ERROR(plan.builder->AddAssign(assign));
  }
  RETURN_IF_ERROR(plan.builder->AddCondition(update.condition));
  RETURN_IF_ERROR(plan.builder->AddReturning(update.returning));
  plan.conditional = update.condition.has_value();
  plan.returns = !update.returning.empty();
  return plan;
}

StatusOr<RowsPlan> PlanRows(const StatementContext& context, const syntax::Delete& statement) {
  ASSIGN_OR_RETURN(RowsPlan plan, Begin(context, statement.table, statement.where));
  const bool spans = statement.times.time || !statement.times.at.empty();
  // True if the statement deletes whole rows without IF and outside of a row transaction, and row
  // ranges rather than a list of keys express all of its WHERE. The tablets then need not test the
  // rows under their locks, so this process sends the deletions in batches, which is faster than
  // one update for each row.
  const bool plain = statement.patterns.empty() && !spans && !statement.condition &&
                     !plan.target.rest && !IsListed(plan.target.rows) &&
                     !context.session->transaction;
  if (plain) {
    plan.how = RowsPlan::kDropped;
    return plan;
  }
  FindExisting(&plan);
  RETURN_IF_ERROR(plan.builder->AddDeletes(statement.patterns, statement.times));
  RETURN_IF_ERROR(plan.builder->AddCondition(statement.condition));
  plan.conditional = statement.condition.has_value();
  return plan;
}

StatusOr<RowsPlan> PlanRows(const StatementContext& context, const syntax::Increment& increment) {
  ASSIGN_OR_RETURN(RowsPlan plan, Begin(context, increment.table, increment.where));
  engine::Expression by = engine::Expression::Literal(Value::Int64(1));
  if (increment.by) {
    ExpressionCompiler compiler(context, plan.builder->scope());
    ASSIGN_OR_RETURN(by, compiler.Compile(*increment.by));
  }
  RETURN_IF_ERROR(
      plan.builder->AddWrite(engine::RowWrite::kIncrement, increment.column, std::move(by)));
  RETURN_IF_ERROR(plan.builder->AddReturning(increment.returning));
  plan.returns = !increment.returning.empty();
  RETURN_IF_ERROR(FindNamed(&plan));
  return plan;
}

StatusOr<RowsPlan> PlanRows(const StatementContext& context, const syntax::Append& append) {
  ASSIGN_OR_RETURN(RowsPlan plan, Begin(context, append.table, append.where));
  ExpressionCompiler compiler(context, plan.builder->scope());
  ASSIGN_OR_RETURN(engine::Expression value, compiler.Compile(append.value));
  RETURN_IF_ERROR(
      plan.builder->AddWrite(engine::RowWrite::kAppend, append.column, std::move(value)));
  RETURN_IF_ERROR(plan.builder->AddReturning(append.returning));
  plan.returns = !append.returning.empty();
  RETURN_IF_ERROR(FindNamed(&plan));
  return plan;
}

bool IsUnsafe(const StatementContext& context, const RowsPlan& plan) {
  return plan.has_where && plan.target.rows.IsAll() && context.session->settings.safe_updates;
}

SelectPlan KeyScan(const StatementContext& context, const RowsPlan& plan) {
  SelectPlan scan;
  scan.source = SelectPlan::kTable;
  scan.table = plan.schema->name;
  engine::Program& program = scan.program;
  program.now_us = context.now_us;
  program.families = TypedFamiliesOf(*plan.schema);
  program.where = plan.target.rest;
  program.outputs.push_back(plan.builder->scope()->Slot(SlotDef::kRow));
  program.slots = plan.builder->scope()->slots();
  ChooseColumns(
      *plan.schema,
      program.where ? plan.builder->scope()->patterns() : std::vector<engine::ColumnPattern>{},
      &scan);
  if (!program.where) {
    program.slots = {{SlotDef::kRow, 0}};
    program.outputs = {engine::Expression::Slot(0)};
  }
  // The scan reads the same versions for the test as the update will read under the row's lock: all
  // versions if the test counts versions, otherwise only the newest.
  program.read.versions_per_column = NeedsAllVersions(program.slots) ? 0 : 1;
  program.read.rows = plan.target.rows;
  return scan;
}

// The rest of WHERE becomes a condition of the update, although the scan has tested it: the row may
// have changed before its lock was taken.
engine::RowUpdate FinishUpdate(RowsPlan* plan) {
  plan->builder->AddCondition(plan->target.rest);
  return plan->builder->Finish();
}

}  // namespace sippar::query
