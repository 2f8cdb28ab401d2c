// The delay of writers is smooth, grows with the backlog, and has a limit.
// SPDX-License-Identifier: Apache-2.0
#include "engine/store/write_delay.h"

#include <gtest/gtest.h>

namespace sippar::engine {
namespace {

constexpr int64_t kBudget = 1 << 20;

TEST(WriteDelay, NothingUntilSomethingIsBehind) {
  EXPECT_EQ(WriteDelayMicros({0, kBudget, 0, 8}, 1), 0);
  EXPECT_EQ(WriteDelayMicros({kBudget, kBudget, 16, 8}, 1000), 0);
}

TEST(WriteDelay, GrowsSmoothlyWithEitherDebt) {
  int64_t before = 0;
  for (int64_t used = kBudget; used <= 2 * kBudget; used += kBudget / 64) {
    int64_t delay = WriteDelayMicros({used, kBudget, 0, 8}, 1);
    EXPECT_GE(delay, before);
    EXPECT_LE(delay - before, 80) << "a jump at " << used;
    before = delay;
  }
  EXPECT_EQ(before, 1000);
  before = 0;
  for (uint64_t runs = 16; runs <= 48; ++runs) {
    int64_t delay = WriteDelayMicros({0, kBudget, runs, 8}, 1);
    EXPECT_GE(delay, before);
    EXPECT_LE(delay - before, 80) << "a jump at " << runs;
    before = delay;
  }
  EXPECT_EQ(before, 1000);
}

TEST(WriteDelay, OfABatchIsThatOfItsRowsAndBounded) {
  EXPECT_EQ(WriteDelayMicros({2 * kBudget, kBudget, 0, 8}, 10), 10'000);
  EXPECT_EQ(WriteDelayMicros({2 * kBudget, kBudget, 0, 8}, 1'000'000), kWriteDelayMaxMicros);
  EXPECT_EQ(WriteDelayMicros({0, kBudget, 1000, 8}, 1'000'000), kWriteDelayMaxMicros);
}

}  // namespace
}  // namespace sippar::engine
