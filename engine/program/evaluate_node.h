// A node of the evaluator's tree. Private to evaluate*.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/program/evaluate.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {

struct EvaluatorNode {
  Expression::Kind kind = Expression::kLiteral;
  // Number of the slot or of the variable; in a call with a lambda: number of its first variable.
  uint32_t slot = 0;
  bool null_if_fails = false;
  TextPlace place;
  CallSite site;
  ScalarEntry scalar;
  std::vector<EvaluatorNode> args;
  // Values of `args` in the current call. The values of literals are set once, by Build.
  std::vector<const Value*> arguments;
  Value scratch;  // the literal, or the result of the last call

  void SetBool(bool value) { scratch.AssignInteger(ValueType::kBool, value ? 1 : 0); }
};

struct EvaluatorContext {
  const Row* slots;
  const SlotPlaces* places;
  StopBudget* budget;
  std::vector<const Value*>* variables;  // values of the variables of the running lambdas
};

[[nodiscard]] Status RunNode(EvaluatorNode* node, const EvaluatorContext& context,
                             const Value** result);
// As RunNode, but a value other than BOOL or NULL is a TYPE error.
[[nodiscard]] Status RunTestNode(EvaluatorNode* node, const EvaluatorContext& context,
                                 const Value** result);
// RunIn runs IN; RunComparison runs the comparisons and NULLIF. The result is node->scratch.
[[nodiscard]] Status RunIn(EvaluatorNode* node, const EvaluatorContext& context);
[[nodiscard]] Status RunComparison(EvaluatorNode* node, const EvaluatorContext& context);
// Runs LEAST and GREATEST. The result is NULL if any argument is NULL.
[[nodiscard]] Status RunExtreme(EvaluatorNode* node, const EvaluatorContext& context,
                                const Value** result);
// Runs ARRAY_FILTER and ARRAY_TRANSFORM. The result is node->scratch.
[[nodiscard]] Status RunLambda(EvaluatorNode* node, const EvaluatorContext& context);

}  // namespace sippar::engine
