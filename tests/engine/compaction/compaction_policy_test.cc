// The pure choice of runs to merge. SPDX-License-Identifier: Apache-2.0
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
