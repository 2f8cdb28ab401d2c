// The mutations that make the changes of a change stream again.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/replay_changes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sippar::query {
namespace {

using engine::GcPolicy;
using engine::MutationEntry;
using engine::RowMutation;

engine::TableSchema Schema() {
  engine::TableSchema schema;
  schema.name = "t";
  schema.families = {{"mixed", engine::FamilyType::kBytes,
                      GcPolicy::Intersection({GcPolicy::MaxVersions(1), GcPolicy::MaxAge(5)})},
                     {"mixed_sum", engine::FamilyType::kSum,
                      GcPolicy::Intersection({GcPolicy::MaxVersions(1), GcPolicy::MaxAge(5)})},
                     {"plain", engine::FamilyType::kBytes, GcPolicy::MaxVersions(1)},
                     {"sum", engine::FamilyType::kSum, GcPolicy::KeepAll()},
                     {"union", engine::FamilyType::kBytes,
                      GcPolicy::Union({GcPolicy::MaxVersions(1), GcPolicy::MaxAge(5)})}};
  return schema;
}

MutationEntry Set(std::string_view family, int64_t time_us) {
  return RowMutation("r").Set(family, "q", "v", time_us).entries[0];
}
MutationEntry Delete(std::string_view family, engine::TimeRange time) {
  return RowMutation("r").DeleteColumn(family, "q", time).entries[0];
}

TEST(ReplayChangesTest, SetsAndDeletesStayAsTheyAre) {
  auto set = ReplayOf(Set("plain", 7), Schema());
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_EQ(set->size(), 1U);
  EXPECT_EQ(set->front().kind, MutationEntry::kSet);
  EXPECT_EQ(set->front().timestamp_us, 7);
  auto deleted = ReplayOf(Delete("plain", {5, 6}), Schema());
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  ASSERT_EQ(deleted->size(), 1U);
  EXPECT_EQ(deleted->front().time, (engine::TimeRange{5, 6}));
}

TEST(ReplayChangesTest, TheStateOfAnAggregateReplacesTheCell) {
  for (int64_t time_us : {int64_t{7}, engine::kTimeMax}) {
    auto entries = ReplayOf(Set("sum", time_us), Schema());
    ASSERT_TRUE(entries.ok()) << entries.status();
    ASSERT_EQ(entries->size(), 2U);
    EXPECT_EQ((*entries)[0].kind, MutationEntry::kDeleteColumn);
    EXPECT_TRUE((*entries)[0].time.Contains(time_us));
    EXPECT_FALSE((*entries)[0].time.Contains(time_us - 1));
    EXPECT_EQ((*entries)[1].kind, MutationEntry::kMerge);
    EXPECT_EQ((*entries)[1].timestamp_us, time_us);
    EXPECT_EQ((*entries)[1].value, "v");
  }
}

TEST(ReplayChangesTest, ADeleteOfVersionsUnderARuleOfAgeAndNumberIsRefused) {
  EXPECT_TRUE(ReplayOf(Set("mixed", 7), Schema()).ok());
  EXPECT_TRUE(ReplayOf(Delete("mixed", {}), Schema()).ok());
  EXPECT_TRUE(ReplayOf(Delete("union", {5, 6}), Schema()).ok());
  EXPECT_EQ(ReplayOf(Delete("mixed", {5, 6}), Schema()).status().code(),
            StatusCode::kFailedPrecondition);
  // The delete that goes before the state of an aggregate takes nothing away that comes not back.
  EXPECT_TRUE(ReplayOf(Set("mixed_sum", 7), Schema()).ok());
  EXPECT_EQ(ReplayOf(Set("later_dropped", 7), Schema()).status().code(),
            StatusCode::kFailedPrecondition);
}

TEST(ReplayChangesTest, ABatchKeepsTheOrderWithinARow) {
  ReplayBatch batch;
  for (int64_t i = 0; i < 10; ++i) {
    batch.Add(fmt::format("r{}", i % 2), Set("plain", i));
  }
  std::vector<RowMutation> mutations = batch.Take();
  ASSERT_EQ(mutations.size(), 2U);
  for (size_t row = 0; row < 2; ++row) {
    ASSERT_EQ(mutations[row].entries.size(), 5U);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(mutations[row].entries[i].timestamp_us, static_cast<int64_t>(2 * i + row));
    }
  }
  EXPECT_TRUE(batch.Take().empty());
}

TEST(ReplayChangesTest, ABatchIsFullByEntriesAndByBytes) {
  ReplayBatch batch;
  size_t entries = 0;
  while (!batch.IsFull()) batch.Add("r", Set("plain", static_cast<int64_t>(++entries)));
  EXPECT_EQ(entries, 10'000U);
  EXPECT_EQ(batch.Take()[0].entries.size(), entries);
  EXPECT_FALSE(batch.IsFull());
  MutationEntry large = Set("plain", 1);
  large.value = std::string(5 << 20, 'v');
  batch.Add("r", large);
  EXPECT_TRUE(batch.IsFull());
  batch.Take();
  const std::string row(64 << 10, 'k');
  for (entries = 0; !batch.IsFull(); ++entries) batch.Add(row, Set("plain", 1));
  EXPECT_LT(entries, 100U);
}

}  // namespace
}  // namespace sippar::query
