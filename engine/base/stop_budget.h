// Checks a stop signal only once per 64 Ki units of work, so that a loop over one large object can
// account for every step cheaply. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/stop_signal.h"

namespace sippar::engine {

class StopBudget {
 public:
  StopBudget() = default;  // a budget that never reports an error
  // `stop` may be null, and then Spend never fails; otherwise it must outlive this object.
  explicit StopBudget(const StopSignal* stop) : stop_(stop) {}

  // `work` is the number of bytes that a step touches; kStep for a step over a few values.
  static constexpr uint64_t kStep = 16;
  [[nodiscard]] Status Spend(uint64_t work = kStep) {
    if (work < left_) [[likely]] {
      left_ -= work;
      return OkStatus();
    }
    left_ = kWorkPerCheck;
    return stop_ == nullptr ? OkStatus() : stop_->Check();
  }
  const StopSignal* signal() const { return stop_; }

 private:
  static constexpr uint64_t kWorkPerCheck = 64 << 10;  // about 50 us of work
  const StopSignal* stop_ = nullptr;
  uint64_t left_ = kWorkPerCheck;
};

}  // namespace sippar::engine
