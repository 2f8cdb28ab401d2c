// Checks linearizability by depth-first search.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/linearizability.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace sippar::sim {
namespace {

class Search {
 public:
  Search(const std::vector<Interval>& operations, uint64_t steps_max)
      : operations_(operations),
        by_call_(operations.size()),
        done_(operations.size(), '0'),
        steps_left_(steps_max) {
    std::iota(by_call_.begin(), by_call_.end(), 0);
    std::stable_sort(by_call_.begin(), by_call_.end(), [&](size_t a, size_t b) {
      return operations[a].called < operations[b].called;
    });
    returned_left_ = static_cast<size_t>(
        std::count_if(operations.begin(), operations.end(),
                      [](const Interval& o) { return o.returned != Interval::kUnknown; }));
  }

  LinearizabilityResult Run(const SequentialState& initial) {
    LinearizabilityResult result;
    if (!Extend(initial)) {
      result.verdict =
          steps_left_ == 0 ? LinearizabilityResult::kGaveUp : LinearizabilityResult::kViolation;
      order_ = longest_;
    }
    result.order = order_;
    return result;
  }

 private:
  // Extends `order_` until every operation with an answer is in it; false if that is impossible.
  bool Extend(const SequentialState& state) {
    if (returned_left_ == 0) return true;
    if (order_.size() > longest_.size()) longest_ = order_;
    if (!met_.insert(done_ + state.Fingerprint()).second) return false;
    // The next step must have been called before the first return among the remaining operations.
    // Operations with an answer are tried first, because most orders need no operation of unknown
    // outcome.
    uint64_t first_return = FirstReturn();
    for (bool unknown : {false, true}) {
      for (size_t index : by_call_) {
        const Interval& operation = operations_[index];
        if (operation.called > first_return) break;
        if (done_[index] == '1' || (operation.returned == Interval::kUnknown) != unknown) continue;
        if (operation.twin != Interval::kNoTwin && done_[operation.twin] == '0') continue;
        if (steps_left_ == 0) return false;
        --steps_left_;
        std::unique_ptr<SequentialState> after = state.After(index);
        if (after != nullptr && Take(index, *after)) return true;
      }
    }
    return false;
  }

  bool Take(size_t index, const SequentialState& after) {
    size_t answered = operations_[index].returned == Interval::kUnknown ? 0 : 1;
    done_[index] = '1';
    returned_left_ -= answered;
    order_.push_back(index);
    if (Extend(after)) return true;
    order_.pop_back();
    returned_left_ += answered;
    done_[index] = '0';
    return false;
  }

  uint64_t FirstReturn() const {
    uint64_t first = Interval::kUnknown;
    for (size_t index : by_call_) {
      if (operations_[index].called > first) break;
      if (done_[index] == '0') first = std::min(first, operations_[index].returned);
    }
    return first;
  }

  const std::vector<Interval>& operations_;
  std::vector<size_t> by_call_;
  std::string done_;  // '1' for each operation that `order_` contains
  size_t returned_left_ = 0;
  uint64_t steps_left_;
  std::vector<size_t> order_;
  std::vector<size_t> longest_;
  std::set<std::string> met_;
};

}  // namespace

LinearizabilityResult CheckLinearizable(const SequentialState& initial,
                                        const std::vector<Interval>& operations,
                                        uint64_t steps_max) {
  return Search(operations, steps_max).Run(initial);
}

}  // namespace sippar::sim
