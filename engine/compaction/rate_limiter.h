// Slows writes down to a number of bytes per second, shared by all who hold it. For compactions
// that nobody waits for. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/base/thread.h"

namespace sippar::engine {

class RateLimiter {
 public:
  explicit RateLimiter(Clock* clock) : clock_(clock) {}

  // 0 = unlimited, the state at first. Counts at once, for those who wait too.
  void SetRate(uint64_t bytes_per_second) { rate_ = bytes_per_second; }
  // Waits until `bytes` fit in. Ends within 20 ms when `*cancel` becomes true (may be nullptr) or
  // the rate becomes unlimited.
  void Acquire(uint64_t bytes, const std::atomic<bool>* cancel);

 private:
  Clock* const clock_;
  std::atomic<uint64_t> rate_{0};
  Mutex mutex_;
  int64_t free_at_ns_ GUARDED_BY(mutex_) = 0;  // everything granted is written by then
};

}  // namespace sippar::engine
