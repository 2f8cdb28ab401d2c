// SPDX-License-Identifier: Apache-2.0
#include "cluster/api/slow_calls.h"

#include <fmt/format.h>

#include <utility>

namespace sippar::cluster {
namespace {

constexpr int64_t kLineNanos = 100'000'000;  // shortest time between two reported lines

}  // namespace

void SlowCalls::Report(std::string line) {
  {
    engine::MutexLock lock(&mutex_);
    const int64_t now_nanos = clock_->MonotonicNanos();
    if (now_nanos < quiet_until_nanos_) {
      ++untold_;
      return;
    }
    quiet_until_nanos_ = now_nanos + kLineNanos;
    if (untold_ > 0) line += fmt::format(" ({} others before it)", std::exchange(untold_, 0));
  }
  tell_(line);
}

}  // namespace sippar::cluster
