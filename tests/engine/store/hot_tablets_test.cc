// Hot tablets: CPU time, divided among tablets by their work.
// SPDX-License-Identifier: Apache-2.0
#include "engine/store/hot_tablets.h"

#include <gtest/gtest.h>

#include "engine/fs/memory_file_system.h"
#include "tests/engine/store/hosted_history.h"

namespace sippar::engine {
namespace {

constexpr int64_t kMinute = 60'000'000;
constexpr int64_t kStart = 15 * kMinute * 1000;  // start of a quarter of an hour

HotTablets::Work Work(uint64_t tablet_id, uint64_t nanos) {
  return {"t", tablet_id, {"a", "b"}, nanos};
}

TEST(HotTabletsTest, SharesTheProcessorsByWork) {
  HotTablets hot(2);
  hot.Sample(kStart, 5'000'000, {Work(1, 1'000'000), Work(2, 70)});
  // The first sample has no earlier one to compare with.
  EXPECT_TRUE(hot.List(0, INT64_MAX).empty());
  // One of two processors was busy for a minute: three quarters of it for tablet 1, one quarter for
  // tablet 2.
  hot.Sample(kStart + kMinute, 5'000'000 + kMinute, {Work(1, 1'000'300), Work(2, 170), Work(3, 0)});
  std::vector<HotTablet> found = hot.List(0, INT64_MAX);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (HotTablet{"t", 1, {"a", "b"}, kStart, kStart + kMinute, 37.5}));
  EXPECT_EQ(found[1].tablet_id, 2u);
  EXPECT_DOUBLE_EQ(found[1].cpu_percent, 12.5);
  // Tablets below a tenth are not hot, and neither are tablets that did no work.
  hot.Sample(kStart + 2 * kMinute, 5'000'000 + kMinute + kMinute / 10, {Work(1, 9'000'000)});
  EXPECT_EQ(hot.List(0, INT64_MAX).size(), 2u);
  EXPECT_TRUE(hot.List(kStart + 1, INT64_MAX).empty());
  EXPECT_TRUE(hot.List(0, kStart).empty());
}

TEST(HotTabletsTest, TheHottestMinuteOfAQuarterStandsForIt) {
  HotTablets hot(1);
  int64_t cpu_us = 0;
  uint64_t nanos = 0;
  for (int64_t minute = 0; minute <= 30; ++minute) {
    hot.Sample(kStart + minute * kMinute, cpu_us, {Work(1, nanos)});
    cpu_us += minute == 7 || minute == 20 ? kMinute : kMinute / 2;
    nanos += 100;
  }
  std::vector<HotTablet> found = hot.List(0, INT64_MAX);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].start_us, kStart + 7 * kMinute);
  EXPECT_EQ(found[1].start_us, kStart + 20 * kMinute);
  EXPECT_DOUBLE_EQ(found[1].cpu_percent, 100);
}

TEST(HotTabletsTest, AStoreKnowsWhoReadsAndWrites) {
  MemoryFileSystem fs;
  ManualClock clock(kStart);
  auto store = std::move(*HostedTables::Open("/db", LadderOptions(&fs, &clock)));
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"f", FamilyType::kBytes, {}}};
  ASSERT_TRUE(store->CreateTable(schema, {"m"}).ok());
  store->host()->SampleWork();
  for (int i = 0; i < 3'000; ++i) {
    RowMutation mutation("a" + std::to_string(i));
    mutation.Set("f", "q", "v");
    ASSERT_TRUE(store->Apply("t", {&mutation}).front().ok());
  }
  std::vector<std::shared_ptr<Tablet>> tablets = *store->Tablets("t");
  EXPECT_GT(tablets[0]->work_nanos(), 0u);
  uint64_t written = tablets[0]->work_nanos();
  auto cells = std::move(*tablets[0]->Read({}));
  while (cells->Valid()) cells->Next();
  cells.reset();
  EXPECT_GT(tablets[0]->work_nanos(), written);
  EXPECT_EQ(tablets[1]->work_nanos(), 0u);
  clock.Set(kStart + 1'000);  // any work is much within a millisecond
  store->host()->SampleWork();
  std::vector<HotTablet> found = store->host()->hot_tablets().List(0, INT64_MAX);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].tablet_id, tablets[0]->id());
  EXPECT_EQ(found[0].range.limit, "m");
}

// As in a member that is a gateway, too.
TEST(HotTabletsTest, WorkOfOtherRolesIsNotATablets) {
  MemoryFileSystem fs;
  ManualClock clock(kStart);
  StoreOptions options = LadderOptions(&fs, &clock);
  options.counts_own_cpu = true;
  auto store = std::move(*HostedTables::Open("/db", options));
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"f", FamilyType::kBytes, {}}};
  ASSERT_TRUE(store->CreateTable(schema, {}).ok());
  auto write = [&](const std::string& row) {
    for (int i = 0; i < 3'000; ++i) {
      RowMutation mutation(row);
      mutation.Set("f", "q", "v");
      ASSERT_TRUE(store->Apply("t", {&mutation}).front().ok());
    }
  };
  store->host()->SampleWork();
  write("outside of a scope");
  clock.Set(kStart + 1'000);
  store->host()->SampleWork();
  EXPECT_TRUE(store->host()->hot_tablets().List(0, INT64_MAX).empty());
  {
    const CpuScope scope(store->host()->cpu(), CpuScope::kEach);
    write("in a scope");
  }
  clock.Set(kStart + 2'000);
  store->host()->SampleWork();
  EXPECT_EQ(store->host()->hot_tablets().List(0, INT64_MAX).size(), 1u);
}

}  // namespace
}  // namespace sippar::engine
