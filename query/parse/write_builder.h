// Builds the statements that write rows, and the parts that statements of an ATOMIC block share
// with them. Private to query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "query/parse/clause_builder.h"
#include "query/parse/expression_builder.h"
#include "query/parse/select_builder.h"

namespace sippar::query {

class WriteBuilder {
 public:
  WriteBuilder(ExpressionBuilder* expressions, ClauseBuilder* clauses, SelectBuilder* selects)
      : expressions_(expressions), clauses_(clauses), selects_(selects) {}

  syntax::Insert Build(SipparParser::InsertContext* context);
  syntax::Update Build(SipparParser::UpdateContext* context);
  syntax::Delete Build(SipparParser::DeleteRowsContext* context);
  syntax::Increment Build(SipparParser::IncrementContext* context);
  syntax::Append Build(SipparParser::AppendContext* context);

  std::vector<syntax::Assign> Assigns(const std::vector<SipparParser::AssignContext*>& assigns);
  // Returns all times if `context` is nullptr.
  syntax::TimeSpan TimeSpan(SipparParser::TimeSpanContext* context);

 private:
  syntax::Assign Assign(SipparParser::AssignContext* context);
  std::vector<syntax::SelectItem> Returning(SipparParser::ReturningContext* context);

  ExpressionBuilder* const expressions_;
  ClauseBuilder* const clauses_;
  SelectBuilder* const selects_;
};

}  // namespace sippar::query
