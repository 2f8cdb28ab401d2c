// SPDX-License-Identifier: Apache-2.0
#include "query/parse/write_builder.h"

namespace sippar::query {

syntax::Assign WriteBuilder::Assign(SipparParser::AssignContext* context) {
  syntax::Assign assign;
  assign.span = expressions_->SpanOf(context);
  assign.column = expressions_->Build(context->columnPattern());
  if (context->PLUS_EQ() != nullptr) assign.op = syntax::Assign::kAdd;
  if (context->CAT_EQ() != nullptr) assign.op = syntax::Assign::kAppend;
  assign.value = expressions_->Build(context->expression());
  assign.at = clauses_->Clause(context->at());
  return assign;
}

std::vector<syntax::Assign> WriteBuilder::Assigns(
    const std::vector<SipparParser::AssignContext*>& assigns) {
  std::vector<syntax::Assign> out;
  for (auto* assign : assigns) out.push_back(Assign(assign));
  return out;
}

std::vector<syntax::SelectItem> WriteBuilder::Returning(SipparParser::ReturningContext* context) {
  if (context == nullptr) return {};
  return clauses_->Items(context->selectItem());
}

syntax::Insert WriteBuilder::Build(SipparParser::InsertContext* context) {
  syntax::Insert insert;
  insert.table = expressions_->Name(context->tableName());
  insert.condition = clauses_->Clause(context->condition());
  for (auto* tuple : context->tuple()) insert.tuples.push_back(clauses_->Tuple(tuple));
  // The grammar gives the four forms no names. Each test looks for a part that only one of the
  // remaining forms can have; the last form, ROW key SET, needs no test.
  if (context->select() != nullptr) {
    insert.kind = syntax::Insert::kSelect;
    insert.select = syntax::Box(selects_->Build(context->select()));
    for (auto* target : context->columnTarget()) insert.columns.push_back(clauses_->Target(target));
  } else if (context->CELLS() != nullptr) {
    insert.kind = syntax::Insert::kCells;
  } else if (context->LPAREN() != nullptr) {
    insert.kind = syntax::Insert::kTuples;
    for (auto* target : context->columnTarget()) insert.columns.push_back(clauses_->Target(target));
    insert.at = clauses_->Clause(context->at());
  } else {
    insert.row = expressions_->Build(context->expression());
    insert.assigns = Assigns(context->assign());
  }
  return insert;
}

syntax::Update WriteBuilder::Build(SipparParser::UpdateContext* context) {
  syntax::Update update;
  update.table = expressions_->Name(context->tableName());
  update.assigns = Assigns(context->assign());
  // The grammar demands WHERE, unlike in SELECT: an UPDATE of every row must be written on purpose.
  update.where = expressions_->Build(context->where()->expression());
  update.condition = clauses_->Clause(context->condition());
  update.returning = Returning(context->returning());
  return update;
}

syntax::TimeSpan WriteBuilder::TimeSpan(SipparParser::TimeSpanContext* context) {
  syntax::TimeSpan times;
  if (context == nullptr) return times;
  times.span = expressions_->SpanOf(context);
  if (context->timeRange() != nullptr) {
    // `time` records that TIME was written: FROM and TO do not tell, since both may be left out.
    times.time = true;
    clauses_->TimeRange(context->timeRange(), &times.from, &times.to);
  }
  for (auto* time : context->expression()) times.at.push_back(expressions_->Build(time));
  return times;
}

syntax::Delete WriteBuilder::Build(SipparParser::DeleteRowsContext* context) {
  syntax::Delete remove;
  remove.patterns = clauses_->Patterns(context->columnPattern());
  remove.table = expressions_->Name(context->tableName());
  remove.times = TimeSpan(context->timeSpan());
  // The grammar requires either WHERE or ALL ROWS, so that a forgotten WHERE cannot empty a table.
  remove.where = clauses_->Clause(context->where());
  remove.all_rows = context->ALL() != nullptr;
  remove.condition = clauses_->Clause(context->condition());
  return remove;
}

syntax::Increment WriteBuilder::Build(SipparParser::IncrementContext* context) {
  syntax::Increment increment;
  increment.table = expressions_->Name(context->tableName());
  increment.column = expressions_->Build(context->columnPattern());
  // If BY is left out, `by` stays empty rather than 1, so that the statement prints as it was
  // written; ExecuteIncrement supplies the 1.
  increment.by = clauses_->Optional(context->expression());
  increment.where = expressions_->Build(context->where()->expression());
  increment.returning = Returning(context->returning());
  return increment;
}

syntax::Append WriteBuilder::Build(SipparParser::AppendContext* context) {
  syntax::Append append;
  append.value = expressions_->Build(context->expression());
  append.table = expressions_->Name(context->tableName());
  append.column = expressions_->Build(context->columnPattern());
  append.where = expressions_->Build(context->where()->expression());
  append.returning = Returning(context->returning());
  return append;
}

}  // namespace sippar::query
