// Evaluates expressions on one row (or cell) after another: three-valued logic, bytes order,
// overflow and decode errors. Results live in the tree's nodes, so that a scan allocates little;
// hence one Evaluator per run, not thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/program/expression.h"
#include "engine/program/value.h"

namespace sippar::engine {

// Says where a slot's value came from, for error messages: "in row r, column f:q, time 6".
class SlotPlaces {
 public:
  virtual ~SlotPlaces() = default;
  virtual std::string PlaceOf(uint32_t slot) const = 0;
};

class Evaluator {
 public:
  // BAD_REGEX for literal regexes that do not compile. `stop` may be null, else it outlives the
  // evaluator and ends an evaluation early, also within one call on a large value.
  [[nodiscard]] static StatusOr<std::unique_ptr<Evaluator>> Prepare(
      const Expression& expression, const StopSignal* stop = nullptr);
  virtual ~Evaluator() = default;
  // *result lives until the next call. `places` may be null. Requires: slots for every slot used.
  [[nodiscard]] virtual Status Evaluate(const Row& slots, const SlotPlaces* places,
                                        const Value** result) = 0;
  virtual TextPlace place() const = 0;  // of the whole expression
  // TRUE or not; anything but BOOL and NULL is a TYPE error.
  [[nodiscard]] Status EvaluateTest(const Row& slots, const SlotPlaces* places, bool* result);
};

// For expressions without slots: literals, NOW() - 5m, parameters. `stop` may be null.
[[nodiscard]] StatusOr<Value> EvaluateConstant(const Expression& expression,
                                               const StopSignal* stop = nullptr);

}  // namespace sippar::engine
