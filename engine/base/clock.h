// The only source of time: no other code asks the OS for it, except for the end of a wait
// (thread.h, wake_up.cc), so that tests and the simulator can control time. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace sippar::engine {

class Clock {
 public:
  virtual ~Clock() = default;
  // Microseconds since 1970: the timestamp of a cell when the client gives none. May jump forward
  // and back.
  virtual int64_t NowMicros() = 0;
  // Nanoseconds since an arbitrary start; never goes back. For intervals only.
  virtual int64_t MonotonicNanos() = 0;
  // Blocks the calling thread for about this long; a signal may end the wait early.
  virtual void SleepMicros(int64_t micros) = 0;

  // The clock of this machine; in a simulation, the clock of the simulated machine that the running
  // thread belongs to. Never destroyed.
  static Clock* System();
};

// A clock that moves only by Set and SleepMicros; SleepMicros returns at once.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t now_us) : now_us_(now_us) {}
  int64_t NowMicros() override { return now_us_.load(); }
  int64_t MonotonicNanos() override { return now_us_.load() * 1000; }
  void SleepMicros(int64_t micros) override { now_us_ += micros; }
  void Set(int64_t now_us) { now_us_ = now_us; }

 private:
  std::atomic<int64_t> now_us_;
};

}  // namespace sippar::engine
