// Builds the parts that several kinds of statements share: clauses of one expression, column
// patterns, select items, time ranges, tuples of values. The context of a part is nullptr if the
// statement lacks the part. Private to query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "query/parse/expression_builder.h"

namespace sippar::query {

class ClauseBuilder {
 public:
  explicit ClauseBuilder(ExpressionBuilder* expressions) : expressions_(expressions) {}

  syntax::OptionalExpr Optional(SipparParser::ExpressionContext* context);
  // The only expression of a clause such as WHERE, IF, HAVING or AT.
  template <typename Context>
  syntax::OptionalExpr Clause(Context* context) {
    return Optional(context == nullptr ? nullptr : context->expression());
  }
  std::vector<syntax::PatternNode> Patterns(
      const std::vector<SipparParser::ColumnPatternContext*>& patterns);
  std::vector<syntax::SelectItem> Items(const std::vector<SipparParser::SelectItemContext*>& items);
  // *from or *to is nullopt where the range is open.
  void TimeRange(SipparParser::TimeRangeContext* context, syntax::OptionalExpr* from,
                 syntax::OptionalExpr* to);
  syntax::Tuple Tuple(SipparParser::TupleContext* context);
  syntax::ColumnTarget Target(SipparParser::ColumnTargetContext* context);

 private:
  syntax::SelectItem Item(SipparParser::SelectItemContext* context);

  ExpressionBuilder* const expressions_;
};

}  // namespace sippar::query
