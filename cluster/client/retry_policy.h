// Decides which failed calls are retried, and when. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/api/call.h"

namespace sippar::cluster {

struct RetryPolicy {
  // The first failure mostly means that the tablet has moved, so the retry follows at once. Before
  // each further retry the wait doubles from first_wait_us up to wait_max_us. Jitter takes up to
  // half of each wait off, so that the clients of a lost server do not retry in step.
  int64_t first_wait_us = 2'000;
  int64_t wait_max_us = 1'000'000;
};

struct FailedCall {
  StatusCode code = StatusCode::kOk;
  bool not_served = false;  // Cause::kNotServed: the server does not have the tablet
  Repeat repeat = Repeat::kUnsafe;
  uint32_t failures = 1;     // number of failures of this call so far
  int64_t time_left_us = 0;  // time until the call's deadline
};

struct RetryDecision {
  bool again = false;  // retry, after wait_us
  int64_t wait_us = 0;
};

// `chance` is any random number.
RetryDecision DecideRetry(const RetryPolicy& policy, const FailedCall& call, uint64_t chance);

}  // namespace sippar::cluster
