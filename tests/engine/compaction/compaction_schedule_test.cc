// Which group is compacted next, and the parts that this needs: backoff, rate limit, history.
// SPDX-License-Identifier: Apache-2.0
#include "engine/compaction/compaction_schedule.h"

#include <gtest/gtest.h>

#include "engine/compaction/compaction_history.h"
#include "engine/compaction/rate_limiter.h"

namespace sippar::engine {
namespace {

CompactionCandidate Candidate(uint64_t tablet_id, size_t runs, uint64_t size) {
  CompactionCandidate candidate{tablet_id, "g", {}, 0, 0};
  for (size_t i = 0; i < runs; ++i) candidate.runs.push_back({size, 0, 100});
  return candidate;
}

TEST(CompactionSchedule, TheMostUrgentThenTheSmallestGoesFirst) {
  std::vector<CompactionCandidate> all = {Candidate(1, 3, 10), Candidate(2, 4, 1000),
                                          Candidate(3, 4, 10), Candidate(4, 6, 10)};
  auto next = ScheduleCompaction(all, {}, true);
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->candidate, 3u);  // has the most runs
  all[3].runs.clear();
  next = ScheduleCompaction(all, {}, true);
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->candidate, 2u);  // as urgent as candidate 1, but less work
  EXPECT_EQ(next->bytes_in, 40u);
}

TEST(CompactionSchedule, LargeWorkLeavesAThreadForSmallWork) {
  std::vector<CompactionCandidate> all = {Candidate(1, 6, kLargeCompaction), Candidate(2, 4, 10)};
  EXPECT_EQ(ScheduleCompaction(all, {}, true)->candidate, 0u);
  EXPECT_EQ(ScheduleCompaction(all, {}, false)->candidate, 1u);
}

TEST(CompactionSchedule, AFailedGroupWaitsAndDoesNotSlowWriters) {
  std::vector<CompactionCandidate> all = {Candidate(1, 50, 10), Candidate(2, 4, 10)};
  EXPECT_EQ(MostRuns(all), 50u);
  all[0].retry_at_us = 1000;
  EXPECT_EQ(MostRuns(all), 4u);
  CompactionPolicyOptions options;
  options.now_us = 999;
  EXPECT_EQ(ScheduleCompaction(all, options, true)->candidate, 1u);
  options.now_us = 1000;
  EXPECT_EQ(ScheduleCompaction(all, options, true)->candidate, 0u);
  EXPECT_EQ(CompactionBackoffMicros(1), 1'000'000);
  EXPECT_EQ(CompactionBackoffMicros(3), 4'000'000);
  EXPECT_EQ(CompactionBackoffMicros(1000), 64'000'000);
}

TEST(RateLimiter, LetsSoManyBytesThroughInASecond) {
  ManualClock clock(0);
  RateLimiter limiter(&clock);
  limiter.Acquire(1 << 30, nullptr);
  EXPECT_EQ(clock.NowMicros(), 0);  // unlimited until SetRate
  limiter.SetRate(1 << 20);
  for (int i = 0; i < 32; ++i) limiter.Acquire(256 << 10, nullptr);
  EXPECT_NEAR(static_cast<double>(clock.NowMicros()), 7'750'000, 50'000);
}

TEST(RateLimiter, ACancelledOneDoesNotWait) {
  ManualClock clock(0);
  RateLimiter limiter(&clock);
  limiter.SetRate(1);
  std::atomic<bool> cancel{true};
  limiter.Acquire(1000, &cancel);
  limiter.Acquire(1000, &cancel);
  EXPECT_EQ(clock.NowMicros(), 0);
}

TEST(CompactionHistory, KeepsAHundredAndWhatRuns) {
  ManualClock clock(5);
  CompactionHistory history(&clock);
  uint64_t running =
      history.Begin({"t", 1, "g", CompactionKind::kMajor, "major: asked for", 2, 10});
  for (int i = 0; i < 150; ++i) {
    uint64_t id = history.Begin({"t", 2, "g", CompactionKind::kMinor, "minor", 1, 10});
    history.End(id, i == 149 ? DataLoss("bad block") : OkStatus(), 7);
  }
  clock.Set(25);
  std::vector<CompactionRecord> all = history.List();
  ASSERT_EQ(all.size(), 101u);
  EXPECT_EQ(all[98].status, "done");
  EXPECT_EQ(all[98].bytes_out, 7u);
  EXPECT_EQ(all[99].status, "bad block");
  EXPECT_EQ(all[100].status, "running");
  EXPECT_EQ(all[100].duration_us, 20);
  EXPECT_STREQ(CompactionKindName(all[100].kind), "major");
  history.End(running, OkStatus(), 1);
  EXPECT_EQ(history.List().back().status, "done");
}

}  // namespace
}  // namespace sippar::engine
