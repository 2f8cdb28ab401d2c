// Limits writes to a number of bytes per second, shared by all its callers. Used for compactions
// that no reader or writer waits for. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/base/thread.h"

namespace sippar::engine {

class RateLimiter {
 public:
  explicit RateLimiter(Clock* clock) : clock_(clock) {}

  // 0: unlimited, the initial state. A change to 0 also ends the waits of calls in progress.
  void SetRate(uint64_t bytes_per_second) { rate_ = bytes_per_second; }
  // Waits until `bytes` may be written. Returns within 20 ms after `*cancel` becomes true (`cancel`
  // may be null) or the rate becomes unlimited.
  void Acquire(uint64_t bytes, const std::atomic<bool>* cancel);

 private:
  Clock* const clock_;
  std::atomic<uint64_t> rate_{0};
  Mutex mutex_;
  int64_t free_at_ns_ GUARDED_BY(mutex_) = 0;  // time when all granted bytes are written
};

}  // namespace sippar::engine
