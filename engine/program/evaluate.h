// Evaluates an expression on one row (or cell) after another, with three-valued logic, comparison
// by bytes, and errors for overflow and decoding. Results are kept in the nodes of the tree, so
// that a scan allocates little. Hence one Evaluator serves one run, and it is not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/stop_budget.h"
#include "engine/base/stop_signal.h"
#include "engine/program/expression.h"
#include "engine/program/value.h"

namespace sippar::engine {

// Describes where a slot's value came from, for error messages: "in row r, column f:q, time 6".
class SlotPlaces {
 public:
  virtual ~SlotPlaces() = default;
  virtual std::string PlaceOf(uint32_t slot) const = 0;
};

struct EvaluatorNode;  // a node of the tree, in evaluate_node.h

class Evaluator final {
 public:
  // Builds the tree. Errors: BAD_REGEX if a literal regex does not compile or a literal rewrite or
  // group does not fit it; TOO_DEEP; that of `stop`. `stop` may be null; otherwise it outlives the
  // evaluator and ends an evaluation early, even within one call on a large value.
  [[nodiscard]] static StatusOr<std::unique_ptr<Evaluator>> Prepare(
      const Expression& expression, const StopSignal* stop = nullptr);
  ~Evaluator();
  // *result is valid until the next call. `places` may be null. Requires: `slots` has every slot
  // that the expression uses.
  [[nodiscard]] Status Evaluate(const Row& slots, const SlotPlaces* places, const Value** result);
  TextPlace place() const;  // place of the whole expression
  // Sets *result to true if the value is TRUE, and to false if it is FALSE or NULL. Any other value
  // is a TYPE error.
  [[nodiscard]] Status EvaluateTest(const Row& slots, const SlotPlaces* places, bool* result);

 private:
  explicit Evaluator(const StopSignal* stop);

  StopBudget budget_;
  const std::unique_ptr<EvaluatorNode> root_;
  std::vector<const Value*> variables_;  // values of the variables of the running lambdas
};

// Evaluates an expression without slots, such as literals, NOW() - 5m and parameters. `stop` may be
// null.
[[nodiscard]] StatusOr<Value> EvaluateConstant(const Expression& expression,
                                               const StopSignal* stop = nullptr);

}  // namespace sippar::engine
