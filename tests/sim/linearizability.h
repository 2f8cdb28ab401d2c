// Checks whether some order of single steps explains a history of operations that overlap in time
// (Herlihy and Wing 1990). Searches as Wing and Gong do, and remembers the states already visited
// (Lowe 2017).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sippar::sim {

// When an operation was called and when it returned, in any unit that orders them. An operation of
// unknown outcome never returns, and may not have happened at all.
struct Interval {
  static constexpr uint64_t kUnknown = UINT64_MAX;
  static constexpr size_t kNoTwin = SIZE_MAX;
  uint64_t called = 0;
  uint64_t returned = kUnknown;
  // The index of an operation of unknown outcome that was called earlier and does the same as this
  // one, whose outcome is unknown, too. Where an order has this one alone, it can have the earlier
  // one instead; so the search tries only that, and N twins are N + 1 choices and not 2^N.
  size_t twin = kNoTwin;
};

// The state on which the operations act.
class SequentialState {
 public:
  virtual ~SequentialState() = default;
  // Returns the state after operation `index`; null: the operation could not have returned its
  // answer.
  virtual std::unique_ptr<SequentialState> After(size_t index) const = 0;
  // Equal for states that give the same answers to all operations.
  virtual std::string Fingerprint() const = 0;
};

struct LinearizabilityResult {
  enum Verdict : uint8_t { kLinearizable, kViolation, kGaveUp };
  Verdict verdict = kLinearizable;
  std::vector<size_t> order;  // operations in an order that explains them; for a violation, the
                              // longest prefix found
};

// Returns kGaveUp after `steps_max` steps.
LinearizabilityResult CheckLinearizable(const SequentialState& initial,
                                        const std::vector<Interval>& operations,
                                        uint64_t steps_max = 5'000'000);

}  // namespace sippar::sim
