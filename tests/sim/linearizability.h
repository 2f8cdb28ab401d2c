// Is a history of operations that overlap in time explained by some order of single steps (Herlihy
// and Wing 1990)? Searched as Wing and Gong do, with the states met so far remembered (Lowe 2017).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sippar::sim {

// When an operation was called and when it returned, in any unit that orders them. One of unknown
// outcome never returns, and need not have happened.
struct Interval {
  static constexpr uint64_t kUnknown = UINT64_MAX;
  uint64_t called = 0;
  uint64_t returned = kUnknown;
};

// What the operations act on.
class SequentialState {
 public:
  virtual ~SequentialState() = default;
  // The state after operation `index`; null: it could not have answered what it did.
  virtual std::unique_ptr<SequentialState> After(size_t index) const = 0;
  // The same for states that answer everything alike.
  virtual std::string Fingerprint() const = 0;
};

struct LinearizabilityResult {
  enum Verdict : uint8_t { kLinearizable, kViolation, kGaveUp };
  Verdict verdict = kLinearizable;
  std::vector<size_t> order;  // operations in an order that explains them; of a violation: the
                              // longest beginning found
};

// kGaveUp after so many steps.
LinearizabilityResult CheckLinearizable(const SequentialState& initial,
                                        const std::vector<Interval>& operations,
                                        uint64_t steps_max = 5'000'000);

}  // namespace sippar::sim
