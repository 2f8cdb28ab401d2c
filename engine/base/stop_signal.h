// Tells a call to end early: its caller cancelled it, or its deadline has passed. Scans check it
// every few thousand entries, visible or not. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/base/status.h"

namespace sippar::engine {

struct StopSignal {
  const std::atomic<bool>* cancel = nullptr;  // set by the caller to cancel; may be null
  Clock* clock = nullptr;                     // must be set if there is a deadline
  int64_t deadline_nanos = 0;                 // on the monotonic clock; 0 = none
  // True: a read that would have to wait for a disk fails with kUnavailable instead, because its
  // thread serves other calls too.
  bool from_memory = false;

  // kCancelled or kDeadlineExceeded when the call should end, else OK.
  [[nodiscard]] Status Check() const {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) {
      return Cancelled("the call was cancelled");
    }
    if (deadline_nanos != 0 && clock->MonotonicNanos() > deadline_nanos) {
      return DeadlineExceeded("the call took longer than its timeout");
    }
    return OkStatus();
  }
};

}  // namespace sippar::engine
