// CallTime: how much of its timeout a call has left. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "cluster/api/call_options.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"

namespace sippar::cluster {

class CallTime {
 public:
  // The call begins now. `clock` outlives the object; it is read only for a call with a timeout.
  CallTime(engine::Clock* clock, CallOptions options)
      : clock_(clock),
        options_(std::move(options)),
        start_nanos_(options_.timeout_us == 0 ? 0 : clock->MonotonicNanos()) {}

  // kCancelled or kDeadlineExceeded: the caller no longer waits for the call.
  [[nodiscard]] Status Check() const {
    if (options_.is_cancelled()) return Cancelled("the call was cancelled");
    if (!is_limited() || LeftUs() > 0) return OkStatus();
    return DeadlineExceeded("the call took longer than its timeout");
  }
  // Returns the options for a part of the call that begins now.
  CallOptions Left() const {
    CallOptions left = options_;
    if (is_limited()) left.timeout_us = std::max<int64_t>(LeftUs(), 1);
    return left;
  }
  // Returns the options for a part of the call that begins now and must leave time for the others:
  // its timeout is `limit_us`, or half of the time left if that is shorter.
  CallOptions Part(int64_t limit_us) const {
    CallOptions part = options_;
    part.timeout_us = limit_us;
    if (is_limited()) part.timeout_us = std::clamp<int64_t>(LeftUs() / 2, 1, limit_us);
    return part;
  }
  bool is_limited() const { return options_.timeout_us != 0; }
  // Returns the time left, negative after the deadline. Requires: is_limited().
  int64_t LeftUs() const {
    return options_.timeout_us - (clock_->MonotonicNanos() - start_nanos_) / 1000;
  }
  const CancelFlag& cancel() const { return options_.cancel; }

 private:
  engine::Clock* const clock_;
  const CallOptions options_;
  const int64_t start_nanos_;
};

}  // namespace sippar::cluster
