// SPDX-License-Identifier: Apache-2.0
#include "query/parse/atomic_builder.h"

namespace sippar::query {

syntax::Atomic AtomicBuilder::Build(SipparParser::AtomicContext* context) {
  syntax::Atomic atomic;
  atomic.table = expressions_->Name(context->tableName());
  atomic.row = expressions_->Build(context->expression());
  atomic.block = Block(context->block());
  return atomic;
}

std::vector<syntax::RowStatement> AtomicBuilder::Block(SipparParser::BlockContext* context) {
  std::vector<syntax::RowStatement> block;
  for (auto* statement : context->rowStatement()) block.push_back(RowStatement(statement));
  return block;
}

syntax::RowStatement AtomicBuilder::RowStatement(SipparParser::RowStatementContext* context) {
  syntax::RowStatement statement;
  statement.span = expressions_->SpanOf(context);
  // IF, LET and FAIL have one expression each, so the tree needs one member for all three.
  if (context->expression() != nullptr) statement.expr = expressions_->Build(context->expression());
  if (context->IF() != nullptr) {
    statement.kind = syntax::RowStatement::kIf;
    statement.then_block = Block(context->block(0));
    // An ELSE with an empty block is kept, so that the statement prints as it was written.
    statement.has_else = context->ELSE() != nullptr;
    if (context->block(1) != nullptr) statement.else_block = Block(context->block(1));
    // ELSE IF: the inner IF is the only statement of the ELSE block.
    if (context->rowStatement() != nullptr) {
      statement.else_block.push_back(RowStatement(context->rowStatement()));
    }
  } else if (context->SET() != nullptr) {
    statement.kind = syntax::RowStatement::kSet;
    statement.assigns = writes_->Assigns(context->assign());
  } else if (context->DELETE() != nullptr) {
    statement.kind = syntax::RowStatement::kDelete;
    statement.delete_row = context->ROW() != nullptr;
    statement.patterns = clauses_->Patterns(context->columnPattern());
    statement.times = writes_->TimeSpan(context->timeSpan());
  } else if (context->LET() != nullptr) {
    statement.kind = syntax::RowStatement::kLet;
    statement.name = expressions_->Name(context->name());
  } else if (context->FAIL() != nullptr) {
    statement.kind = syntax::RowStatement::kFail;
  } else {
    statement.kind = syntax::RowStatement::kReturn;
    statement.items = clauses_->Items(context->selectItem());
  }
  return statement;
}

}  // namespace sippar::query
