// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"

#include <ctime>

#include "engine/base/thread_runtime.h"

namespace sippar::engine {
namespace {

int64_t Nanos(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class SystemClock final : public Clock {
 public:
  int64_t NowMicros() override { return Nanos(CLOCK_REALTIME) / 1000; }
  // BOOTTIME, unlike MONOTONIC, also counts the time that the machine was suspended. So a lease
  // that ran out meanwhile does not seem alive afterwards (FAULTS.md C6).
  int64_t MonotonicNanos() override { return Nanos(CLOCK_BOOTTIME); }
  void SleepMicros(int64_t micros) override {
    timespec time{micros / 1'000'000, (micros % 1'000'000) * 1000};
    nanosleep(&time, nullptr);
  }
};

}  // namespace

Clock* Clock::System() {
  if (ThreadRuntime* runtime = ThreadRuntime::Current()) return runtime->MachineClock();
  static auto* clock = new SystemClock;  // never destroyed: threads may outlive main()
  return clock;
}

}  // namespace sippar::engine
