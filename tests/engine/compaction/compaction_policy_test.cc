// Tests the pure function that chooses the runs to merge.
// SPDX-License-Identifier: Apache-2.0
#include "engine/compaction/compaction_policy.h"

#include <gtest/gtest.h>

#include "engine/base/random.h"

namespace sippar::engine {
namespace {

std::vector<RunInfo> Runs(std::initializer_list<uint64_t> sizes) {
  std::vector<RunInfo> runs;
  for (uint64_t size : sizes) runs.push_back({size, 0, 1});
  return runs;
}

TEST(CompactionPolicy, FewRunsAreLeftAlone) {
  EXPECT_FALSE(ChooseCompaction(Runs({})).has_value());
  EXPECT_FALSE(ChooseCompaction(Runs({10})).has_value());
  EXPECT_FALSE(ChooseCompaction(Runs({10, 10, 10})).has_value());
}

TEST(CompactionPolicy, FourOfLikeSizeBecomeOne) {
  auto choice = ChooseCompaction(Runs({1000, 10, 10, 10, 10}));
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->first, 1u);
  EXPECT_EQ(choice->limit, 5u);
  EXPECT_EQ(choice->reason, "merging: 4 runs of like size, 40 bytes");
}

TEST(CompactionPolicy, TombstoneHeavyRunsAreCleaned) {
  std::vector<RunInfo> runs = {{100, 60, 100}, {10, 10, 10}};
  auto choice = ChooseCompaction(runs);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->first, 0u);
  EXPECT_EQ(choice->limit, 2u);
}

TEST(CompactionPolicy, GarbageIsCompactedAwayAtTheEndOfTheCycle) {
  constexpr int64_t kHour = 3'600'000'000;
  std::vector<RunInfo> runs = {{100, 0, 100, 10 * kHour, true, 0, 1}, {10, 1, 10, 20 * kHour}};
  CompactionPolicyOptions options;
  options.cycle_us = 24 * kHour;
  options.now_us = 44 * kHour - 1;
  EXPECT_FALSE(ChooseCompaction(runs, options).has_value());
  options.now_us = 44 * kHour;  // the run without garbage does not count, however old it is
  auto choice = ChooseCompaction(runs, options);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->first, 0u);
  EXPECT_EQ(choice->limit, 2u);
  EXPECT_EQ(choice->reason, "major: garbage for 86400 s, at most 86400 s are allowed");
  EXPECT_FALSE(choice->may_join);
  options.cycle_us = 0;
  EXPECT_FALSE(ChooseCompaction(runs, options).has_value());
}

TEST(CompactionPolicy, ACleanRunIsDueWhenItsCellsExpire) {
  std::vector<RunInfo> runs = {{100, 0, 100, /*made_us=*/1000, true, /*time_min_us=*/900, 1}};
  CompactionPolicyOptions options;
  options.cycle_us = 500;
  options.now_us = 100'000;
  EXPECT_FALSE(ChooseCompaction(runs, options).has_value());  // the policy has no rule by age
  options.expire_after_us = 2000;
  options.now_us = 900 + 2000 + 499;
  EXPECT_EQ(GarbageSince(runs, options), 2900);
  EXPECT_FALSE(ChooseCompaction(runs, options).has_value());
  options.now_us = 900 + 2000 + 500;
  EXPECT_TRUE(ChooseCompaction(runs, options).has_value());
  // The data is already dropped, so nothing is due before the next cycle.
  runs[0].made_us = options.now_us;
  EXPECT_FALSE(ChooseCompaction(runs, options).has_value());
}

TEST(CompactionPolicy, BusyRunsAndOlderOnesAreLeftAlone) {
  std::vector<RunInfo> runs = Runs({1000, 10, 10, 10, 10, 10});
  runs[1].busy = true;
  auto choice = ChooseCompaction(runs);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->first, 2u);
  EXPECT_EQ(choice->limit, 6u);
  runs[3].busy = true;
  EXPECT_FALSE(ChooseCompaction(runs).has_value());
}

TEST(CompactionPolicy, ManyFlushesKeepRunsFewAndRewritesLogarithmic) {
  std::vector<RunInfo> runs;
  uint64_t written = 0;
  constexpr uint64_t kFlushes = 2000;
  for (uint64_t i = 0; i < kFlushes; ++i) {
    runs.push_back({100, 0, 100});
    while (auto choice = ChooseCompaction(runs)) {
      RunInfo merged;
      for (size_t r = choice->first; r < choice->limit; ++r)
        merged.size_bytes += runs[r].size_bytes;
      merged.entries = merged.size_bytes;
      written += merged.size_bytes;
      auto at = runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(choice->first),
                           runs.begin() + static_cast<std::ptrdiff_t>(choice->limit));
      runs.insert(at, merged);
    }
    ASSERT_LE(runs.size(), 8u);
  }
  double amplification = static_cast<double>(written) / (100.0 * kFlushes);
  RecordProperty("write_amplification", std::to_string(amplification));
  EXPECT_LT(amplification, 8.0);
}

}  // namespace
}  // namespace sippar::engine
