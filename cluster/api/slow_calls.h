// Reports calls that took long, one line each, at a limited rate: when all calls are slow, a line
// for each would fill the log. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

class SlowCalls {
 public:
  using Tell = std::function<void(const std::string& line)>;

  // `tell` gets lines about calls that took `from_us` or more, at most ten a second. `clock`
  // outlives this object.
  SlowCalls(engine::Clock* clock, int64_t from_us, Tell tell)
      : clock_(clock), from_us_(from_us), tell_(std::move(tell)) {}

  engine::Clock* clock() const { return clock_; }
  bool IsSlow(int64_t nanos) const { return nanos / 1000 >= from_us_; }
  void Report(std::string line);

 private:
  engine::Clock* const clock_;
  const int64_t from_us_;
  const Tell tell_;
  engine::Mutex mutex_;
  int64_t quiet_until_nanos_ GUARDED_BY(mutex_) = INT64_MIN;
  uint64_t untold_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::cluster
