// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/retry_policy.h"

#include <algorithm>

namespace sippar::cluster {
namespace {

bool MayRepeat(const FailedCall& call) {
  // A server that does not serve the tablet has done nothing, so even an unsafe write may be sent
  // to another server.
  if (call.not_served) return true;
  return call.code == StatusCode::kUnavailable && call.repeat == Repeat::kSafe;
}

}  // namespace

RetryDecision DecideRetry(const RetryPolicy& policy, const FailedCall& call, uint64_t chance) {
  if (!MayRepeat(call)) return {};
  if (call.failures <= 1) return {call.time_left_us > 0, 0};
  // 20 doublings exceed any useful wait_max_us and keep the shift from overflowing.
  uint32_t doublings = std::min<uint32_t>(call.failures - 2, 20);
  int64_t wait_us = std::min(policy.first_wait_us << doublings, policy.wait_max_us);
  wait_us = wait_us / 2 + static_cast<int64_t>(chance % static_cast<uint64_t>(wait_us / 2 + 1));
  return {wait_us < call.time_left_us, wait_us};
}

}  // namespace sippar::cluster
