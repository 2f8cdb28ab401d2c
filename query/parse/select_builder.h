// Builds the statements that read: SELECT, also inside other statements, and TAIL. Private to
// query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "query/parse/clause_builder.h"
#include "query/parse/expression_builder.h"

namespace sippar::query {

class SelectBuilder {
 public:
  SelectBuilder(ExpressionBuilder* expressions, ClauseBuilder* clauses)
      : expressions_(expressions), clauses_(clauses) {}

  syntax::Select Build(SipparParser::SelectContext* context);
  syntax::Tail Build(SipparParser::TailContext* context);

 private:
  void BuildUnnest(SipparParser::UnnestContext* context, syntax::Source* source);
  syntax::Source BuildUnnestItem(SipparParser::UnnestItemContext* context,
                                 const std::string& table_alias);
  syntax::Source BuildSource(SipparParser::SourceContext* context);
  void BuildReadOption(SipparParser::ReadOptionContext* context, syntax::ReadOptions* out);
  void BuildCellsPer(SipparParser::ReadOptionContext* context, syntax::ReadOptions* out);
  syntax::Limit BuildLimit(SipparParser::LimitContext* context);
  // Records the error DUPLICATE_CLAUSE at `context` if `already` is true: the statement has given
  // this clause before.
  void OnlyOnce(bool already, antlr4::ParserRuleContext* context, std::string_view clause);

  ExpressionBuilder* const expressions_;
  ClauseBuilder* const clauses_;
};

}  // namespace sippar::query
