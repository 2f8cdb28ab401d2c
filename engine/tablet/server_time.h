// The times that a tablet gives to its writes: never below a time given before, even by an earlier
// server of the same rows, and even after the clock went back. Log records carry the largest time
// given so far, and the tablet's state keeps it from a flush on. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/model/schema.h"

namespace sippar::engine {

class ServerTime {
 public:
  // `last_us`: the largest time given so far.
  ServerTime(Clock* clock, int64_t last_us) : clock_(clock), last_us_(last_us) {}

  // The time for a write, in microseconds. In a table with millisecond granularity it is a whole
  // millisecond: two writes within the same millisecond get the same time, and the later write
  // wins. In other tables no time is given twice. Requires: the row's lock is held until the write
  // is visible.
  int64_t Next(const TableSchema& schema);
  int64_t last_us() const { return last_us_.load(); }
  // Called by recovery, from one thread: a write found in the log was given `given_us`.
  void Raise(int64_t given_us) {
    if (given_us > last_us_) last_us_ = given_us;
  }

 private:
  Clock* const clock_;
  std::atomic<int64_t> last_us_;
};

}  // namespace sippar::engine
