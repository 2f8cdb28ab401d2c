// Builds the operators << >> & ^ |. << and >> bind tightest, then &, then ^, then |. They become
// calls, so that the printer and the compiler know them only as functions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "query/parse/expr_node.h"
#include "query/parse/expression_builder.h"

namespace sippar::query {

using syntax::Expr;

namespace {

struct BitOperator {
  std::string_view function;
  int strength;
};

BitOperator OperatorOf(SipparParser::BitOperatorContext* context) {
  if (!context->LT().empty()) return {"SHIFT_LEFT", 4};
  if (!context->GT().empty()) return {"SHIFT_RIGHT", 4};
  if (context->AMP() != nullptr) return {"BITWISE_AND", 3};
  if (context->CARET() != nullptr) return {"BITWISE_XOR", 2};
  return {"BITWISE_OR", 1};
}

// Joins the last two operands by the last operator.
void Join(std::vector<Expr>* operands, std::vector<BitOperator>* operators) {
  Expr right = std::move(operands->back());
  operands->pop_back();
  Expr left = std::move(operands->back());
  const Span span = JoinSpans(left.span, right.span);
  operands->back() =
      MakeCall(operators->back().function, span, {std::move(left), std::move(right)});
  operators->pop_back();
}

}  // namespace

Expr ExpressionBuilder::BuildOperand(SipparParser::OperandContext* context) {
  auto signs = context->bitOperator();
  auto sums = context->sum();
  if (signs.empty()) return BuildSum(sums[0]);
  if (TooDeep(signs.size(), context)) return {};
  depth_ += signs.size();
  std::vector<Expr> operands = {BuildSum(sums[0])};
  std::vector<BitOperator> operators;
  for (size_t i = 0; i < signs.size(); ++i) {
    const BitOperator next = OperatorOf(signs[i]);
    // Earlier operators that bind at least as tightly come first: operators group to the left.
    while (!operators.empty() && operators.back().strength >= next.strength) {
      Join(&operands, &operators);
    }
    operators.push_back(next);
    operands.push_back(BuildSum(sums[i + 1]));
  }
  while (!operators.empty()) Join(&operands, &operators);
  depth_ -= signs.size();
  return std::move(operands[0]);
}

}  // namespace sippar::query
