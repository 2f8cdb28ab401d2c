// The course of one call: its deadline, its failures, the waits between its tries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/api/data_api.h"
#include "cluster/client/retry_policy.h"
#include "engine/base/clock.h"

namespace sippar::cluster {

// What all calls of a client share.
struct CallSettings {
  engine::Clock* clock = nullptr;
  RetryPolicy retry;
  int64_t timeout_us = 30'000'000;  // without progress, of calls that name none
  CancelFlag cancel = nullptr;      // the client ends: nothing is tried again
};

class CallCourse {
 public:
  // `options` may name a timeout and a cancel flag.
  CallCourse(const CallSettings& settings, const CallOptions& options);

  // After a failed try: waits and says OK to try again, else what the caller is to be told.
  [[nodiscard]] Status AfterFailure(const Status& failure, Repeat repeat);
  // Part of the call is done for good (streams): the next failure is a first one.
  void Progress() { failures_ = 0; }
  // For a part of the call that is made now.
  [[nodiscard]] StatusOr<CallOptions> OptionsNow() const;

 private:
  int64_t TimeLeftUs() const;
  Status Wait(int64_t micros) const;

  const CallSettings& settings_;
  const CallOptions options_;
  const int64_t start_nanos_;
  int64_t failing_since_nanos_ = 0;
  uint32_t failures_ = 0;
};

}  // namespace sippar::cluster
