// Plans ORDER BY, LIMIT and paging, and finishes the read of a SELECT.
// SPDX-License-Identifier: Apache-2.0
#include "query/plan/select_planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/checksum.h"
#include "query/plan/row_ranges.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::Function;
using engine::Program;
using engine::RowRange;
using engine::RowSet;
using syntax::Expr;
using syntax::ExprKind;
using syntax::Select;

Expression Test(Function function, Expression slot, Value value) {
  std::vector<Expression> args;
  args.push_back(std::move(slot));
  args.push_back(Expression::Literal(std::move(value)));
  return Expression::Call(function, std::move(args));
}

// Makes a test that is TRUE for the cells after the token's cell: in the token's row, the cells
// later in storage order (family and qualifier ascending, time descending). The read begins in that
// row, so all cells that it finds in other rows come after the token's cell.
Expression BehindToken(CellScope* scope, const PageToken& token) {
  Expression row = scope->Slot(SlotDef::kRow);
  Expression family = scope->Slot(SlotDef::kFamily);
  Expression qualifier = scope->Slot(SlotDef::kQualifier);
  Expression time = scope->Slot(SlotDef::kTimestamp);
  Expression same_family = Test(Function::kEqual, family, Value::Text(token.family));
  Expression same_column = Test(Function::kEqual, qualifier, Value::Text(token.qualifier));
  return Expression::Call(
      Function::kOr,
      {Test(Function::kNotEqual, row, Value::Text(token.row)),
       Test(Function::kGreater, family, Value::Text(token.family)),
       Expression::Call(Function::kAnd, {same_family, Test(Function::kGreater, qualifier,
                                                           Value::Text(token.qualifier))}),
       Expression::Call(Function::kAnd,
                        {same_family, same_column,
                         Test(Function::kLess, time, Value::Int64(token.timestamp_us))})});
}

}  // namespace

bool SelectPlanner::IsRowOrder(const syntax::OrderItem& order) {
  // The lines of UNNEST come in the order of the rows, and no column of an UNNEST is called row.
  if (source != nullptr) return source->IsRowOrder({Unaliased(order.expr), order.descending});
  if (plan.source != SelectPlan::kTable) return false;
  const Expr& expr = Unaliased(order.expr);
  return expr.kind == ExprKind::kName && IsRowName(expr.name);
}

Status SelectPlanner::PlanOrder() {
  if (select.order_by.empty() || plan.program.aggregate) return OkStatus();
  if (select.order_by.size() == 1 && IsRowOrder(select.order_by[0])) {
    Program& program = source != nullptr ? source->plan.program : plan.program;
    program.read.reverse = select.order_by[0].descending;
    return OkStatus();
  }
  uint64_t memory = context.session->settings.sort_memory_bytes;
  // The rows of a subselect are sorted in the memory that ResultStages grants. The rows of a table,
  // which may be very many, are sorted without LIMIT only if the user has set sort_memory.
  bool small = plan.source != SelectPlan::kTable;
  if (!select.limit && memory == 0 && !small) {
    return ErrorAt("NEEDS_LIMIT", select.order_by[0].expr.span,
                   "ORDER BY anything but row needs LIMIT n", "add LIMIT n or SET sort_memory");
  }
  for (const syntax::OrderItem& order : select.order_by) {
    ExpressionCompiler compiler = Compiler();
    ASSIGN_OR_RETURN(Expression key, compiler.Compile(Unaliased(order.expr)));
    plan.program.order_by.push_back({std::move(key), order.descending});
    plan.descending.push_back(order.descending);
  }
  plan.sorts = true;
  storage_order = false;
  return OkStatus();
}

Status SelectPlanner::PlanLimit() {
  plan.distinct = select.distinct;
  if (!select.limit) return OkStatus();
  const syntax::Limit& limit = *select.limit;
  ASSIGN_OR_RETURN(uint64_t count, CompileCount(context, limit.count, "LIMIT"));
  if (limit.offset) {
    ASSIGN_OR_RETURN(plan.offset, CompileCount(context, *limit.offset, "OFFSET"));
  }
  if (limit.unit == syntax::Limit::kCells && cell_scope == nullptr) {
    return ErrorAt("NOT_CELLS", limit.span, "LIMIT n CELLS counts cells; this is the row view",
                   "SELECT CELLS …, or LIMIT n");
  }
  if (limit.unit != syntax::Limit::kBy) {
    plan.limit = count;
    if (plan.offset > 0 && storage_order && plan.source == SelectPlan::kTable) {
      plan.notices.push_back(
          "OFFSET reads what it skips; AFTER continues without reading it again");
    }
    return OkStatus();
  }
  plan.limit_by = count;
  if (plan.program.aggregate) return OkStatus();  // PlanAggregates has planned the expression
  ExpressionCompiler compiler = Compiler();
  ASSIGN_OR_RETURN(Expression by, compiler.Compile(Unaliased(*limit.by)));
  plan.limit_by_at = plan.program.outputs.size();
  plan.program.outputs.push_back(std::move(by));
  return OkStatus();
}

void SelectPlanner::AddPageKeys() {
  // A page continues after a key of storage order; a result in another order, or one whose rows
  // depend on earlier rows, cannot be continued. Nor can one of stored entries, since several of
  // them may have the same column and time.
  bool pages = plan.program.source != Program::kEntries && plan.source == SelectPlan::kTable &&
               storage_order && !plan.distinct && !plan.program.aggregate && plan.limit != kNoLimit;
  if (!pages) return;
  plan.page_at = plan.program.outputs.size();
  if (row_scope != nullptr) {
    plan.paging = SelectPlan::kByRow;
    plan.program.outputs.push_back(row_scope->Slot(SlotDef::kRow));
    return;
  }
  plan.paging = SelectPlan::kByCell;
  for (SlotDef::Kind kind :
       {SlotDef::kRow, SlotDef::kFamily, SlotDef::kQualifier, SlotDef::kTimestamp}) {
    plan.program.outputs.push_back(cell_scope->Slot(kind));
  }
}

Status SelectPlanner::PlanAfter() {
  // The fingerprint leaves out what changes from page to page, so that a token fits every page of
  // its query and no other query.
  Select unpaged = select;
  unpaged.after.reset();
  unpaged.after_row = false;
  unpaged.limit.reset();
  plan.fingerprint = engine::Hash(Print(unpaged));
  if (!select.after) return OkStatus();
  if (plan.source != SelectPlan::kTable || !storage_order) {
    return ErrorAt("NOT_PAGED", select.after->span,
                   "AFTER needs the rows of one table in storage order: no GROUP BY, no "
                   "aggregates, and no ORDER BY but that of row");
  }
  ASSIGN_OR_RETURN(Value value, CompileConstant(context, *select.after));
  if (!value.is_string()) {
    return ErrorAt("TYPE", select.after->span, "AFTER takes a row key or a page token");
  }
  bool reverse = plan.program.read.reverse;
  std::string start = value.bytes();
  bool inclusive = false;
  if (!select.after_row) {
    PageToken token;
    if (!DecodePageToken(value.bytes(), &token) || token.fingerprint != plan.fingerprint) {
      return ErrorAt("TOKEN_MISMATCH", select.after->span, "this is not a page token of this query",
                     "AFTER ROW 'key' continues after a row");
    }
    start = token.row;
    plan.program.now_us = token.now_us;
    inclusive = cell_scope != nullptr;
    if (cell_scope != nullptr) {
      std::vector<Expression> tests = SplitAnd(std::move(plan.program.where));
      tests.push_back(BehindToken(cell_scope, token));
      plan.program.where = JoinAnd(std::move(tests));
    }
  }
  RowRange range;
  if (reverse) {
    range.limit = inclusive ? engine::RowSuccessor(start) : start;
  } else {
    range.start = inclusive ? start : engine::RowSuccessor(start);
  }
  // No key is before the empty key, but in a range an empty limit means no upper end.
  bool nothing = reverse && range.limit.empty();
  plan.program.read.rows = plan.program.read.rows.Intersection(nothing ? RowSet() : RowSet(range));
  return OkStatus();
}

Status SelectPlanner::FinishRead() {
  Program& program = plan.program;
  program.slots = Slots();
  if (source != nullptr) return PlanInput();
  if (plan.source != SelectPlan::kTable) return OkStatus();
  engine::StopBudget budget(&context.stop);
  ASSIGN_OR_RETURN(RowSet rows, ExtractRows(program.slots, &program.where, &budget));
  program.read.rows = program.read.rows.Intersection(rows);
  if (cell_scope != nullptr) {
    program.read.columns = cell_patterns;
    // A test on time may narrow the read only if no versions or cells are counted: WHERE is applied
    // after counting and must not change which version is the newest. A read of stored entries also
    // returns deletes of a range with such times, whose own time is NULL.
    bool all_versions =
        program.source == Program::kCells && program.read.versions_per_column == 0 &&
        program.read.versions_offset == 0 && program.read.cells_per_row == 0 &&
        program.read.cells_per_family == 0 && program.read.cells_per_row_offset == 0 &&
        program.read.cells_per_family_offset == 0;
    if (all_versions) ExtractTime(program.slots, &program.read.time, &program.where);
    auto needs_value = [](const SlotDef& slot) { return slot.kind == SlotDef::kValue; };
    bool values = std::any_of(program.slots.begin(), program.slots.end(), needs_value);
    if (!values) program.read.strip_values = true;
  } else {
    ChooseColumns(schema, row_scope->patterns(), &plan);
  }
  PushLimit();
  return OkStatus();
}

void SelectPlanner::PushLimit() {
  Program& program = plan.program;
  if (program.aggregate) return;
  bool whole =
      plan.limit_by == kNoLimit && !plan.distinct && plan.limit < kNoLimit - plan.offset - 1;
  if (program.order_by.empty()) {
    // The tablets send one row more than the user wants: it shows whether there is a next page.
    if (whole && storage_order) program.limit = plan.limit + plan.offset + 1;
    return;
  }
  if (whole) {
    program.limit = std::max<uint64_t>(plan.limit + plan.offset, 1);
    return;
  }
  // DISTINCT and LIMIT BY drop rows after sorting, so no tablet knows how many rows are enough. The
  // tablets send all rows unsorted, with their order keys, and this process sorts them.
  for (engine::OrderKey& key : program.order_by) {
    program.outputs.push_back(std::move(key.expression));
  }
  program.order_by.clear();
}

}  // namespace sippar::query
