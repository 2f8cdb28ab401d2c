// Builds the statements that write, and ATOMIC blocks. SPDX-License-Identifier: Apache-2.0
#include "query/parse/statement_builder.h"

namespace sippar::query {

syntax::Assign StatementBuilder::BuildAssign(P::AssignContext* context) {
  syntax::Assign assign;
  assign.span = expressions_.SpanOf(context);
  assign.column = expressions_.Build(context->columnPattern());
  if (context->PLUS_EQ() != nullptr) assign.op = syntax::Assign::kAdd;
  if (context->CAT_EQ() != nullptr) assign.op = syntax::Assign::kAppend;
  assign.value = Expression(context->expression());
  if (context->at() != nullptr) assign.at = Expression(context->at()->expression());
  return assign;
}

std::vector<syntax::Assign> StatementBuilder::BuildAssigns(
    const std::vector<P::AssignContext*>& assigns) {
  std::vector<syntax::Assign> out;
  for (auto* assign : assigns) out.push_back(BuildAssign(assign));
  return out;
}

std::vector<syntax::SelectItem> StatementBuilder::Returning(P::ReturningContext* context) {
  if (context == nullptr) return {};
  return clauses_.Items(context->selectItem());
}

syntax::Insert StatementBuilder::BuildInsert(P::InsertContext* context) {
  syntax::Insert insert;
  insert.table = expressions_.Name(context->tableName());
  insert.condition = clauses_.Condition(context->condition());
  for (auto* tuple : context->tuple()) insert.tuples.push_back(clauses_.Tuple(tuple));
  // The grammar gives the four forms no names. Each test asks for the part that only one of the
  // forms still left can have; the last form, ROW key SET, needs none.
  if (context->select() != nullptr) {
    insert.kind = syntax::Insert::kSelect;
    insert.select = syntax::Box(selects_.Build(context->select()));
  } else if (context->CELLS() != nullptr) {
    insert.kind = syntax::Insert::kCells;
  } else if (context->LPAREN() != nullptr) {
    insert.kind = syntax::Insert::kTuples;
    for (auto* target : context->columnTarget()) insert.columns.push_back(clauses_.Target(target));
    if (context->at() != nullptr) insert.at = Expression(context->at()->expression());
  } else {
    insert.row = Expression(context->expression());
    insert.assigns = BuildAssigns(context->assign());
  }
  return insert;
}

syntax::Update StatementBuilder::BuildUpdate(P::UpdateContext* context) {
  syntax::Update update;
  update.table = expressions_.Name(context->tableName());
  update.assigns = BuildAssigns(context->assign());
  update.where = Expression(context->where()->expression());
  update.condition = clauses_.Condition(context->condition());
  update.returning = Returning(context->returning());
  return update;
}

syntax::TimeSpan StatementBuilder::BuildTimeSpan(P::TimeSpanContext* context) {
  syntax::TimeSpan times;
  if (context == nullptr) return times;
  times.span = expressions_.SpanOf(context);
  if (context->timeRange() != nullptr) {
    // TIME may stand without FROM and TO, so their absence does not tell that it was left out.
    times.time = true;
    clauses_.TimeRange(context->timeRange(), &times.from, &times.to);
  }
  for (auto* time : context->expression()) times.at.push_back(Expression(time));
  return times;
}

syntax::Delete StatementBuilder::BuildDelete(P::DeleteRowsContext* context) {
  syntax::Delete remove;
  remove.patterns = clauses_.Patterns(context->columnPattern());
  remove.table = expressions_.Name(context->tableName());
  remove.times = BuildTimeSpan(context->timeSpan());
  remove.where = clauses_.Where(context->where());
  remove.all_rows = context->ALL() != nullptr;
  remove.condition = clauses_.Condition(context->condition());
  return remove;
}

syntax::Increment StatementBuilder::BuildIncrement(P::IncrementContext* context) {
  syntax::Increment increment;
  increment.table = expressions_.Name(context->tableName());
  increment.column = expressions_.Build(context->columnPattern());
  increment.by = clauses_.Optional(context->expression());
  increment.where = Expression(context->where()->expression());
  increment.returning = Returning(context->returning());
  return increment;
}

syntax::Append StatementBuilder::BuildAppend(P::AppendContext* context) {
  syntax::Append append;
  append.value = Expression(context->expression());
  append.table = expressions_.Name(context->tableName());
  append.column = expressions_.Build(context->columnPattern());
  append.where = Expression(context->where()->expression());
  append.returning = Returning(context->returning());
  return append;
}

syntax::Atomic StatementBuilder::BuildAtomic(P::AtomicContext* context) {
  syntax::Atomic atomic;
  atomic.table = expressions_.Name(context->tableName());
  atomic.row = Expression(context->expression());
  atomic.block = BuildBlock(context->block());
  return atomic;
}

std::vector<syntax::RowStatement> StatementBuilder::BuildBlock(P::BlockContext* context) {
  std::vector<syntax::RowStatement> block;
  for (auto* statement : context->rowStatement()) block.push_back(BuildRowStatement(statement));
  return block;
}

syntax::RowStatement StatementBuilder::BuildRowStatement(P::RowStatementContext* context) {
  using syntax::RowStatement;
  RowStatement statement;
  statement.span = expressions_.SpanOf(context);
  if (context->expression() != nullptr) statement.expr = Expression(context->expression());
  if (context->IF() != nullptr) {
    statement.kind = RowStatement::kIf;
    statement.then_block = BuildBlock(context->block(0));
    // An ELSE with an empty block is kept, so that the statement prints as it was written.
    statement.has_else = context->ELSE() != nullptr;
    if (context->block(1) != nullptr) statement.else_block = BuildBlock(context->block(1));
    // ELSE IF: the inner IF is the only statement of the ELSE block.
    if (context->rowStatement() != nullptr) {
      statement.else_block.push_back(BuildRowStatement(context->rowStatement()));
    }
  } else if (context->SET() != nullptr) {
    statement.kind = RowStatement::kSet;
    statement.assigns = BuildAssigns(context->assign());
  } else if (context->DELETE() != nullptr) {
    statement.kind = RowStatement::kDelete;
    statement.delete_row = context->ROW() != nullptr;
    statement.patterns = clauses_.Patterns(context->columnPattern());
    statement.times = BuildTimeSpan(context->timeSpan());
  } else if (context->LET() != nullptr) {
    statement.kind = RowStatement::kLet;
    statement.name = expressions_.Name(context->name());
  } else if (context->FAIL() != nullptr) {
    statement.kind = RowStatement::kFail;
  } else {
    statement.kind = RowStatement::kReturn;
    statement.items = clauses_.Items(context->selectItem());
  }
  return statement;
}

}  // namespace sippar::query
