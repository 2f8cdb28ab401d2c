// Which failed call is made again, and when. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/status.h"

namespace sippar::cluster {

// What happens when a call that was carried out is made again.
enum class Repeat : uint8_t {
  kSafe,    // reads, and writes with a request id
  kUnsafe,  // only when it is certain that nothing was done
};

struct RetryPolicy {
  // The first failure mostly says that the tablet is elsewhere: looked up and called at once. Then
  // waits double, each with jitter, so that clients of a lost server do not come in step.
  int64_t first_wait_us = 2'000;
  int64_t wait_max_us = 1'000'000;
};

struct FailedCall {
  StatusCode code = StatusCode::kOk;
  Repeat repeat = Repeat::kUnsafe;
  uint32_t failures = 1;     // of this call so far
  int64_t time_left_us = 0;  // to its deadline
};

struct RetryDecision {
  bool again = false;
  int64_t wait_us = 0;
};

// `chance` is any random number.
RetryDecision DecideRetry(const RetryPolicy& policy, const FailedCall& call, uint64_t chance);

}  // namespace sippar::cluster
