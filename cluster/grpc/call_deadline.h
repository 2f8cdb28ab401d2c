// Computes how long a call may wait in the queue of a busy server.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpc/support/time.h>

#include <algorithm>
#include <cstdint>

#include "engine/base/clock.h"

namespace sippar::cluster {

// Returns the monotonic time in nanoseconds at which a waiting call is to be refused: at most
// `most_us` from now, and before the caller's deadline by a tenth of the time left (at most 0.1 s),
// so that the refusal still reaches the caller.
inline int64_t LineEnd(gpr_timespec deadline, int64_t most_us) {
  const gpr_timespec left = gpr_time_sub(gpr_convert_clock_type(deadline, GPR_CLOCK_MONOTONIC),
                                         gpr_now(GPR_CLOCK_MONOTONIC));
  const auto wait_us = static_cast<int64_t>(
      std::clamp(gpr_timespec_to_micros(left), 0.0, static_cast<double>(most_us)));
  const int64_t reserve_us = std::min<int64_t>(wait_us / 10, 100'000);
  return engine::Clock::System()->MonotonicNanos() + (wait_us - reserve_us) * 1000;
}

}  // namespace sippar::cluster
