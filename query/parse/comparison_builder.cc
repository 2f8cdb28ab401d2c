// Builds the tests of an expression (= < LIKE IN …) and chains of them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/parse/expr_node.h"
#include "query/parse/expression_builder.h"

namespace sippar::query {

using syntax::BinaryOp;
using syntax::Expr;
using syntax::ExprKind;

namespace {

// The direction of an order test: 1 for < and <=, -1 for > and >=, 0 for any other test.
int DirectionOf(SipparParser::ComparisonTailContext* tail) {
  if (tail->LT() != nullptr || tail->LE() != nullptr) return 1;
  if (tail->GT() != nullptr || tail->GE() != nullptr) return -1;
  return 0;
}

Expr MakeBool(bool value, const Span& span) {
  Expr expr = MakeExpr(ExprKind::kLiteral, span);
  expr.literal.type = syntax::Literal::kBool;
  expr.literal.integer = value ? 1 : 0;
  return expr;
}

// x IS TRUE means IF(x, TRUE, FALSE), and x IS FALSE means IF(NOT x, TRUE, FALSE). `negated` swaps
// the two results.
Expr MakeTruthTest(Expr value, bool wanted, bool negated, const Span& span) {
  if (!wanted) {
    Expr opposite = MakeExpr(ExprKind::kNot, value.span);
    opposite.children.push_back(std::move(value));
    value = std::move(opposite);
  }
  return MakeCall("IF", span,
                  {std::move(value), MakeBool(!negated, span), MakeBool(negated, span)});
}

}  // namespace

Expr ExpressionBuilder::BuildComparison(SipparParser::ComparisonContext* context) {
  auto tails = context->comparisonTail();
  if (TooDeep(tails.size(), context)) return {};
  size_t order_tests = 0;
  for (auto* tail : tails) order_tests += DirectionOf(tail) != 0;
  if (tails.size() > 1 && order_tests == tails.size()) return BuildChain(context);
  if (tails.size() > 1 && order_tests > 1) {
    Fail("SYNTAX", SpanOf(context),
         "a chain of comparisons cannot mix the order tests <, <=, >, >= and other tests",
         "use AND, or put one of the tests into ( )");
    return {};
  }
  // Each test becomes the left operand of the next: n tests make n levels.
  depth_ += tails.size();
  Expr expr = BuildOperand(context->operand());
  for (auto* tail : tails) expr = ApplyTail(std::move(expr), tail);
  depth_ -= tails.size();
  return expr;
}

// 'a' <= row < 'b' is an AND of both tests. The tests must point the same way: 'a' < row > 'b' is
// probably a mistake.
Expr ExpressionBuilder::BuildChain(SipparParser::ComparisonContext* context) {
  auto tails = context->comparisonTail();
  Expr all = MakeExpr(ExprKind::kAnd, SpanOf(context));
  ++depth_;
  Expr left = BuildOperand(context->operand());
  for (auto* tail : tails) {
    const antlr4::Token& sign = *tail->getStart();
    if (DirectionOf(tail) != DirectionOf(tails[0])) {
      QueryError error;
      error.code = "RANGE_DIRECTION";
      error.message = fmt::format("a chain of order tests must point one way, {} and {} do not",
                                  text_->TextOf(*tails[0]->getStart()), text_->TextOf(sign));
      error.span = text_->SpanOf(*tails[0]->getStart());
      error.more.push_back(text_->SpanOf(sign));
      error.hint = "write 'a' < row < 'b', or two tests with AND";
      Fail(error);
    }
    Expr right = BuildOperand(tail->operand(0));
    // The middle operand is copied: it is the right side of this test and the left side of the
    // next. In 'a' <= f(x) < 'b' the compiler therefore sees f(x) twice.
    all.children.push_back(MakeBinary(OperatorOf(sign.getType()), left, right));
    left = std::move(right);
  }
  --depth_;
  return all;
}

Expr ExpressionBuilder::ApplyTail(Expr left, SipparParser::ComparisonTailContext* context) {
  Expr expr = MakeExpr(ExprKind::kBinary, JoinSpans(left.span, SpanOf(context)));
  expr.negated = context->NOT() != nullptr;
  if (context->TRUE_() != nullptr || context->FALSE_() != nullptr) {
    return MakeTruthTest(std::move(left), context->TRUE_() != nullptr, expr.negated, expr.span);
  }
  expr.children.push_back(std::move(left));
  const antlr4::Token& first = *context->getStart();
  if (first.getType() == SipparParser::REGEX_TEST) {
    std::string_view text = text_->TextOf(first);
    expr.kind = ExprKind::kRegexTest;
    expr.negated = text[0] == '!';
    expr.regex = DecodeRegex(text.substr(text.find('/')));
  } else if (context->NULL_() != nullptr) {
    expr.kind = ExprKind::kIsNull;
  } else if (context->IN_() != nullptr) {
    expr.kind = ExprKind::kIn;
    expr.unnest = context->UNNEST() != nullptr;
    for (auto* item : context->expression()) expr.children.push_back(Build(item));
  } else if (context->BETWEEN() != nullptr) {
    expr.kind = ExprKind::kBetween;
    for (auto* bound : context->operand()) expr.children.push_back(BuildOperand(bound));
  } else {
    if (context->LIKE() != nullptr) {
      expr.op = expr.negated ? BinaryOp::kNotLike : BinaryOp::kLike;
      expr.negated = false;
    } else if (context->ILIKE() != nullptr) {
      expr.op = expr.negated ? BinaryOp::kNotILike : BinaryOp::kILike;
      expr.negated = false;
    } else if (context->DISTINCT() != nullptr) {
      expr.op = expr.negated ? BinaryOp::kNotDistinct : BinaryOp::kDistinct;
      expr.negated = false;
    } else {
      bool starts = context->STARTS() != nullptr;
      expr.op = starts ? BinaryOp::kStartsWith : OperatorOf(first.getType());
    }
    expr.children.push_back(BuildOperand(context->operand(0)));
  }
  return expr;
}

}  // namespace sippar::query
