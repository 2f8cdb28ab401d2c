// Builds ATOMIC blocks: the statements that the row's server applies as one change. Private to
// query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "query/parse/clause_builder.h"
#include "query/parse/expression_builder.h"
#include "query/parse/write_builder.h"

namespace sippar::query {

class AtomicBuilder {
 public:
  AtomicBuilder(ExpressionBuilder* expressions, ClauseBuilder* clauses, WriteBuilder* writes)
      : expressions_(expressions), clauses_(clauses), writes_(writes) {}

  syntax::Atomic Build(SipparParser::AtomicContext* context);

 private:
  std::vector<syntax::RowStatement> Block(SipparParser::BlockContext* context);
  syntax::RowStatement RowStatement(SipparParser::RowStatementContext* context);

  ExpressionBuilder* const expressions_;
  ClauseBuilder* const clauses_;
  WriteBuilder* const writes_;
};

}  // namespace sippar::query
