// The state of one call over all its tries: deadline, failures, and the waits between tries. A call
// without a timeout of its own is limited by the time since it began to fail, so a long stream that
// makes progress never times out. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "cluster/api/call_time.h"
#include "cluster/api/data_api.h"
#include "cluster/client/retry_policy.h"
#include "engine/base/clock.h"

namespace sippar::cluster {

// Settings that all calls of a client share.
struct CallSettings {
  engine::Clock* clock = nullptr;
  RetryPolicy retry;
  int64_t timeout_us = 30'000'000;  // how long a call without its own timeout may keep failing
  CancelFlag cancel = nullptr;      // set when the client ends: no call is retried any more
};

class CallCourse {
 public:
  // Uses the timeout and the cancel flag of the call, if they are set. `settings` must outlive the
  // object.
  CallCourse(const CallSettings& settings, CallTime time)
      : settings_(settings), time_(std::move(time)) {}
  // Like the constructor above, for a call that begins now.
  CallCourse(const CallSettings& settings, const CallOptions& options)
      : CallCourse(settings, CallTime(settings.clock, options)) {}

  // To be called after a failed try. If the call is to be retried, waits first and then returns OK.
  // Otherwise returns the error for the caller.
  [[nodiscard]] Status AfterFailure(const Status& failure, Repeat repeat);
  // To be called after a part of the call has succeeded and will not be repeated (in streams). The
  // next failure then counts as the first one.
  void Progress() { failures_ = 0; }
  // Returns the options for a try that starts now. Their timeout is the rest of the call's timeout.
  // kCancelled or kDeadlineExceeded: the caller no longer waits. Several threads may call this
  // concurrently.
  [[nodiscard]] StatusOr<CallOptions> OptionsNow() const;

 private:
  int64_t TimeLeftUs() const;
  Status Wait(int64_t micros) const;

  const CallSettings& settings_;
  const CallTime time_;
  int64_t failing_since_nanos_ = 0;
  uint32_t failures_ = 0;
  bool may_have_begun_ = false;  // a try has failed without the mark that it was not begun
};

}  // namespace sippar::cluster
