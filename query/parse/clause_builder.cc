// SPDX-License-Identifier: Apache-2.0
#include "query/parse/clause_builder.h"

namespace sippar::query {

syntax::OptionalExpr ClauseBuilder::Optional(SipparParser::ExpressionContext* context) {
  if (context == nullptr) return std::nullopt;
  return expressions_->Build(context);
}

std::vector<syntax::PatternNode> ClauseBuilder::Patterns(
    const std::vector<SipparParser::ColumnPatternContext*>& patterns) {
  std::vector<syntax::PatternNode> out;
  for (auto* pattern : patterns) out.push_back(expressions_->Build(pattern));
  return out;
}

syntax::SelectItem ClauseBuilder::Item(SipparParser::SelectItemContext* context) {
  syntax::SelectItem item;
  item.span = expressions_->SpanOf(context);
  item.star = context->STAR() != nullptr;
  if (!item.star) item.expr = expressions_->Build(context->expression());
  // After AS any word may be the alias, even a keyword. Without AS only a plain name may be one: a
  // keyword there begins the next clause (SELECT a FROM …).
  if (context->anyWord() != nullptr) {
    item.alias = expressions_->Name(context->anyWord());
  } else if (context->IDENT() != nullptr) {
    item.alias = expressions_->Name(*context->IDENT()->getSymbol());
  }
  return item;
}

std::vector<syntax::SelectItem> ClauseBuilder::Items(
    const std::vector<SipparParser::SelectItemContext*>& items) {
  std::vector<syntax::SelectItem> out;
  for (auto* item : items) out.push_back(Item(item));
  return out;
}

void ClauseBuilder::TimeRange(SipparParser::TimeRangeContext* context, syntax::OptionalExpr* from,
                              syntax::OptionalExpr* to) {
  // An open end is left to the caller's default. It must not become 0 or the largest time here,
  // because the printer writes FROM and TO only where the user wrote them.
  *from = Clause(context->timeFrom());
  *to = Clause(context->timeTo());
}

syntax::Tuple ClauseBuilder::Tuple(SipparParser::TupleContext* context) {
  syntax::Tuple tuple;
  tuple.span = expressions_->SpanOf(context);
  for (auto* value : context->expression()) tuple.values.push_back(expressions_->Build(value));
  return tuple;
}

syntax::ColumnTarget ClauseBuilder::Target(SipparParser::ColumnTargetContext* context) {
  syntax::ColumnTarget target;
  target.span = expressions_->SpanOf(context);
  if (context->ROW() != nullptr) {
    target.kind = syntax::ColumnTarget::kRow;
  } else if (context->TIMESTAMP() != nullptr) {
    target.kind = syntax::ColumnTarget::kTimestamp;
  } else {
    target.column = expressions_->Build(context->columnPattern());
  }
  return target;
}

}  // namespace sippar::query
