// SPDX-License-Identifier: Apache-2.0
#include "query/parse/expr_node.h"

#include <SipparParser.h>

namespace sippar::query {

using sippar_grammar::SipparParser;
using syntax::BinaryOp;
using syntax::Expr;
using syntax::ExprKind;

Expr MakeExpr(ExprKind kind, const Span& span) {
  Expr expr;
  expr.kind = kind;
  expr.span = span;
  return expr;
}

Expr MakeCall(std::string_view name, const Span& span, std::vector<Expr> children) {
  Expr expr = MakeExpr(ExprKind::kCall, span);
  expr.name = name;
  expr.children = std::move(children);
  return expr;
}

Expr MakeText(std::string text, const Span& span) {
  Expr expr = MakeExpr(ExprKind::kLiteral, span);
  expr.literal.type = syntax::Literal::kText;
  expr.literal.text = std::move(text);
  return expr;
}

// Line and column stay those of `first`: an error is shown at the start of the expression, and its
// carets reach to the end of `last`.
Span JoinSpans(const Span& first, const Span& last) {
  Span span = first;
  span.end = last.end;
  return span;
}

Expr MakeBinary(BinaryOp op, Expr left, Expr right) {
  Expr expr = MakeExpr(ExprKind::kBinary, JoinSpans(left.span, right.span));
  expr.op = op;
  expr.children.push_back(std::move(left));
  expr.children.push_back(std::move(right));
  return expr;
}

// Takes only signs that the grammar allows between operands. Only % has no case, and the default
// returns its operator. ApplyTail handles operators that are words (LIKE, STARTS WITH), since these
// may have two tokens or a NOT.
BinaryOp OperatorOf(size_t token_type) {
  switch (token_type) {
    case SipparParser::EQ:
      return BinaryOp::kEqual;
    case SipparParser::NE:
      return BinaryOp::kNotEqual;
    case SipparParser::LT:
      return BinaryOp::kLess;
    case SipparParser::LE:
      return BinaryOp::kLessEqual;
    case SipparParser::GT:
      return BinaryOp::kGreater;
    case SipparParser::GE:
      return BinaryOp::kGreaterEqual;
    case SipparParser::MATCH:
      return BinaryOp::kMatch;
    case SipparParser::NOMATCH:
      return BinaryOp::kNotMatch;
    case SipparParser::PLUS:
      return BinaryOp::kAdd;
    case SipparParser::MINUS:
      return BinaryOp::kSubtract;
    case SipparParser::CAT:
      return BinaryOp::kConcat;
    case SipparParser::STAR:
      return BinaryOp::kMultiply;
    case SipparParser::SLASH:
      return BinaryOp::kDivide;
    default:
      return BinaryOp::kModulo;
  }
}

}  // namespace sippar::query
