// A node of the evaluator's tree. Private to evaluate*.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/program/evaluate.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {

struct EvaluatorNode {
  Expression::Kind kind = Expression::kLiteral;
  uint32_t slot = 0;  // of a call with a lambda: number of its first variable
  bool null_if_fails = false;
  TextPlace place;
  CallSite site;
  ScalarEntry scalar;
  std::vector<EvaluatorNode> args;
  // Values of args in the current call; those of literals are set from the start.
  std::vector<const Value*> arguments;
  Value scratch;  // the literal, or the result of the last call

  void SetBool(bool value) { scratch.AssignInteger(ValueType::kBool, value ? 1 : 0); }
};

struct EvaluatorContext {
  const Row* slots;
  const SlotPlaces* places;
  StopBudget* budget;
  std::vector<const Value*>* variables;  // of the lambdas that are running
};

[[nodiscard]] Status RunNode(EvaluatorNode* node, const EvaluatorContext& context,
                             const Value** result);
// As RunNode, but TYPE for a value other than BOOL or NULL.
[[nodiscard]] Status RunTestNode(EvaluatorNode* node, const EvaluatorContext& context,
                                 const Value** result);
// IN, the comparisons and NULLIF; the result is node->scratch.
[[nodiscard]] Status RunIn(EvaluatorNode* node, const EvaluatorContext& context);
[[nodiscard]] Status RunComparison(EvaluatorNode* node, const EvaluatorContext& context);
// LEAST and GREATEST. NULL if any argument is NULL.
[[nodiscard]] Status RunExtreme(EvaluatorNode* node, const EvaluatorContext& context,
                                const Value** result);
// ARRAY_FILTER and ARRAY_TRANSFORM; the result is node->scratch.
[[nodiscard]] Status RunLambda(EvaluatorNode* node, const EvaluatorContext& context);

}  // namespace sippar::engine
