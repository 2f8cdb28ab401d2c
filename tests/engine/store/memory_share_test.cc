// One memory limit for memtables and cached blocks.
// SPDX-License-Identifier: Apache-2.0
#include "engine/store/memory_share.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/fs/memory_file_system.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kMiB = 1 << 20;

TEST(MemoryShare, TheCacheHasWhatOthersLeaveAndNeverLessThanItsFloor) {
  EXPECT_EQ(CacheShare(768 * kMiB, 64 * kMiB, 0), 768 * kMiB);
  EXPECT_EQ(CacheShare(768 * kMiB, 64 * kMiB, 264 * kMiB), 504 * kMiB);
  // The share changes in steps.
  EXPECT_EQ(CacheShare(768 * kMiB, 64 * kMiB, 264 * kMiB + 1), 492 * kMiB);
  EXPECT_EQ(CacheShare(768 * kMiB, 64 * kMiB, 704 * kMiB + 1), 64 * kMiB);
  EXPECT_EQ(CacheShare(768 * kMiB, 64 * kMiB, UINT64_MAX), 64 * kMiB);
  EXPECT_EQ(CacheShare(10, 1, 3), 7u);
}

TEST(MemoryShare, TheDefaultsAreADividedLimit) {
  StoreOptions defaults;
  StoreOptions divided;
  divided.DivideMemory(defaults.memory_limit);
  EXPECT_EQ(divided.memtable_budget, defaults.memtable_budget);
  EXPECT_EQ(divided.memtable_size, defaults.memtable_size);
  EXPECT_EQ(divided.pinned_blocks_size, defaults.pinned_blocks_size);
  EXPECT_EQ(divided.block_cache_size, defaults.block_cache_size);
  EXPECT_LE(2 * divided.memtable_budget + divided.pinned_blocks_size + divided.block_cache_size,
            divided.memory_limit);
}

TEST(MemoryShare, BlocksMakeRoomForMemtablesAndGetItBack) {
  MemoryFileSystem fs;
  ManualClock clock(1'000'000);
  StoreOptions options;
  options.fs = &fs;
  options.clock = &clock;
  options.background = false;
  options.DivideMemory(24 * kMiB);
  auto store = std::move(*HostedTables::Open("/db", options));
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"f", FamilyType::kBytes, {}}};
  ASSERT_TRUE(store->CreateTable(schema, {}).ok());
  auto write = [&](int first, int limit) {
    for (int i = first; i < limit; ++i) {
      RowMutation mutation(fmt::format("{:06}", i));
      mutation.Set("f", "q", std::string(10'000, static_cast<char>('a' + i % 26)), 1);
      ASSERT_TRUE(store->host()->Admit(1).ok());
      ASSERT_TRUE(store->Apply("t", {&mutation}).front().ok());
      uint64_t memtables = static_cast<uint64_t>(store->host()->memtable_bytes());
      ASSERT_LE(memtables + store->host()->cache_stats().bytes, 25 * kMiB) << i;
    }
  };
  auto cached_by_reading = [&] {
    for (int i = 0; i < 1600; i += 3) {
      ReadSpec read;
      read.rows = RowSet(RowRange::Single(fmt::format("{:06}", i)));
      auto cells = (*store->FindTablet("t", ""))->Read(read);
      EXPECT_TRUE(cells.ok() && (*cells)->Valid());
    }
    return store->host()->cache_stats().bytes;
  };
  write(0, 1600);
  ASSERT_TRUE(store->Flush("t").ok());
  write(1600, 1601);
  EXPECT_GT(cached_by_reading(), 14 * kMiB) << "memtables use nothing";
  write(1601, 3000);
  EXPECT_LT(store->host()->cache_stats().bytes, 11 * kMiB);
  EXPECT_LT(cached_by_reading(), 11 * kMiB);
  ASSERT_TRUE(store->Flush("t").ok());
  write(3000, 3001);
  EXPECT_GT(cached_by_reading(), 14 * kMiB);
}

}  // namespace
}  // namespace sippar::engine
