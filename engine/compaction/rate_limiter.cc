// SPDX-License-Identifier: Apache-2.0
#include "engine/compaction/rate_limiter.h"

#include <algorithm>

namespace sippar::engine {
namespace {
// Longest sleep before Acquire looks at the rate and at `cancel` again.
constexpr int64_t kSliceMicros = 20'000;
}  // namespace

void RateLimiter::Acquire(uint64_t bytes, const std::atomic<bool>* cancel) {
  uint64_t rate = rate_.load();
  if (rate == 0) return;
  int64_t start_ns = 0;
  {
    MutexLock lock(&mutex_);
    start_ns = std::max(clock_->MonotonicNanos(), free_at_ns_);
    free_at_ns_ = start_ns + static_cast<int64_t>(static_cast<double>(bytes) * 1e9 /
                                                  static_cast<double>(rate));
  }
  while (rate_.load() != 0 && (cancel == nullptr || !*cancel)) {
    int64_t left_us = (start_ns - clock_->MonotonicNanos()) / 1000;
    if (left_us <= 0) return;
    clock_->SleepMicros(std::min(left_us, kSliceMicros));
  }
}

}  // namespace sippar::engine
