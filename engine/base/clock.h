// Time. Nobody else asks the OS for it, so tests and the simulator can own it. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace sippar::engine {

class Clock {
 public:
  virtual ~Clock() = default;
  // Microseconds since 1970, the time a cell gets when the client names none.
  virtual int64_t NowMicros() = 0;
  // Nanoseconds since an arbitrary start; never goes back. For intervals only.
  virtual int64_t MonotonicNanos() = 0;
  virtual void SleepMicros(int64_t micros) = 0;

  // Of this machine, in a simulation of the running thread's. Never destroyed.
  static Clock* System();
};

// A clock that moves only when told; SleepMicros moves it.
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
