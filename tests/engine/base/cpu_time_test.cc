// What scopes count of the CPU time of threads.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/cpu_time.h"

#include <gtest/gtest.h>

#include "engine/base/thread.h"

namespace sippar::engine {
namespace {

// Uses the processor until the process has used so many microseconds more.
void Spin(int64_t micros) {
  const int64_t until_us = ProcessCpuMicros() + micros;
  while (ProcessCpuMicros() < until_us) continue;
}

TEST(CpuCountTest, CountsOnlyWhatIsInScopes) {
  CpuCount count;
  Spin(20'000);
  EXPECT_EQ(count.Micros(), 0);
  {
    const CpuScope scope(&count, CpuScope::kEach);
    Spin(30'000);
    EXPECT_GT(count.Micros(), 20'000);  // while the scope is open
  }
  const int64_t after_us = count.Micros();
  EXPECT_GT(after_us, 20'000);
  Spin(20'000);
  EXPECT_EQ(count.Micros(), after_us);
  const CpuScope nothing(nullptr, CpuScope::kEach);
}

TEST(CpuCountTest, AnotherThreadsWorkIsSeenWhileItRuns) {
  CpuCount count;
  Mutex mutex;
  CondVar changed;
  bool has_spun = false;
  bool ends = false;
  Thread thread("worker", [&] {
    const CpuScope scope(&count, CpuScope::kEach);
    Spin(30'000);
    MutexLock lock(&mutex);
    has_spun = true;
    changed.NotifyAll();
    while (!ends) changed.Wait(&mutex);
  });
  {
    MutexLock lock(&mutex);
    while (!has_spun) changed.Wait(&mutex);
  }
  EXPECT_GT(count.Micros(), 10'000);  // the waiting thread may have used some of the 30 ms
  MutexLock lock(&mutex);
  ends = true;
  changed.NotifyAll();
}

TEST(CpuCountTest, ASampleStandsForManyShortScopes) {
  CpuCount count;
  const int64_t start_us = ProcessCpuMicros();
  for (int i = 0; i < 127 * 40; ++i) {
    const CpuScope scope(&count, CpuScope::kOneInMany);
    Spin(20);
  }
  const int64_t used_us = ProcessCpuMicros() - start_us;
  EXPECT_GT(count.Micros(), used_us / 4);
  EXPECT_LT(count.Micros(), used_us * 4);
}

}  // namespace
}  // namespace sippar::engine
