// Threads that run calls: they are reused, limited in number, and awaited at the end.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/call_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>

namespace sippar::cluster {
namespace {

TEST(CallThreadsTest, RefusesWhatHasNoThread) {
  CallThreads threads("test", 2);
  std::latch begun(2);
  std::latch may_end(1);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(threads.Run([&] {
      begun.count_down();
      may_end.wait();
    }));
  }
  begun.wait();
  EXPECT_FALSE(threads.Run([] { FAIL(); }));
  may_end.count_down();
  std::atomic<bool> done = false;
  // Retries until a thread is free.
  while (!threads.Run([&] { done = true; })) std::this_thread::yield();
  threads.Stop();
  EXPECT_TRUE(done);
}

TEST(CallThreadsTest, DoesAllItTookEvenWhenItStops) {
  std::atomic<int> done = 0;
  int taken = 0;
  {
    CallThreads threads("test", 200);
    for (int i = 0; i < 1000; ++i) taken += threads.Run([&] { ++done; }) ? 1 : 0;
  }
  EXPECT_EQ(done, taken);
  EXPECT_GT(taken, 0);
}

TEST(CallThreadsTest, F_A13_ThreadsWithoutWorkEnd) {
  CallThreads threads("test", 100);
  std::latch begun(50);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(threads.Run([&] { begun.arrive_and_wait(); }));
  }
  EXPECT_EQ(threads.threads(), 50u);
  while (threads.threads() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::atomic<int> done = 0;
  while (!threads.Run([&] { ++done; })) continue;  // starts new threads after all have ended
  threads.Stop();
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace sippar::cluster
