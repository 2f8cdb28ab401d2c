// Builds the literals of an expression.
// SPDX-License-Identifier: Apache-2.0
#include "query/parse/expr_node.h"
#include "query/parse/expression_builder.h"

namespace sippar::query {

using syntax::Expr;
using syntax::ExprKind;
using syntax::Literal;

Expr ExpressionBuilder::BuildLiteral(SipparParser::LiteralContext* context, bool negative) {
  Expr expr = MakeExpr(ExprKind::kLiteral, SpanOf(context));
  DecodeLiteral(context, negative, &expr.literal);
  return expr;
}

Literal ExpressionBuilder::Build(SipparParser::LiteralContext* context) {
  Literal literal;
  // Options take no sign before a number (rule `option`), so the literal is never negative here.
  DecodeLiteral(context, false, &literal);
  return literal;
}

bool ExpressionBuilder::DecodeLiteral(SipparParser::LiteralContext* context, bool negative,
                                      Literal* out) {
  const antlr4::Token& token = *context->getStop();  // last token: the string of TIMESTAMP '…'
  std::string_view text = text_->TextOf(token);
  OptionalProblem problem;
  if (context->INT() != nullptr) {
    out->type = Literal::kInt64;
    problem = DecodeInt(text, negative, &out->integer);
  } else if (context->FLOAT() != nullptr) {
    out->type = Literal::kFloat64;
    problem = DecodeFloat(text, &out->real);
    // Unlike INT64, FLOAT64 has a negative for each of its values, so the sign can be applied after
    // decoding.
    if (negative) out->real = -out->real;
  } else if (context->TIMESTAMP() != nullptr || context->DATE() != nullptr) {
    const bool date = context->DATE() != nullptr;
    out->type = date ? Literal::kDate : Literal::kTimestamp;
    std::string time;
    problem = DecodeQuoted(text, false, &time);
    if (!problem && date) problem = DecodeDate(time, &out->integer);
    if (!problem && !date) problem = DecodeTimestamp(time, &out->integer, &out->zone_missing);
    // `at` is an offset in the decoded string, which is not an offset in the literal.
    if (problem) problem->at = 0;
  } else if (context->STRING() != nullptr) {
    out->type = Literal::kText;
    problem = DecodeQuoted(text, false, &out->text);
  } else if (context->RAW_STRING() != nullptr) {
    out->type = Literal::kText;
    out->text = DecodeRaw(text);
  } else if (context->BYTES() != nullptr) {
    out->type = Literal::kBytes;
    problem = DecodeBytes(text, &out->text);
  } else if (context->DURATION() != nullptr) {
    out->type = Literal::kDuration;
    problem = DecodeDuration(text, &out->integer);
    // Cannot overflow: DecodeDuration returns at most the largest INT64. The smallest duration,
    // which has no positive counterpart, therefore cannot be written.
    if (negative) out->integer = -out->integer;
  } else if (context->SIZE() != nullptr) {
    out->type = Literal::kSize;
    problem = DecodeSize(text, &out->integer);
    // Of the grammar's literals only TRUE, FALSE and NULL are left. NULL needs no work: it is the
    // type of a new Literal.
  } else if (context->NULL_() == nullptr) {
    out->type = Literal::kBool;
    out->integer = context->TRUE_() != nullptr ? 1 : 0;
  }
  Report(problem, token);
  return !problem;
}

}  // namespace sippar::query
