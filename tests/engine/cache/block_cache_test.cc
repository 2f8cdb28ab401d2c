// The block cache: limits, protection of twice-touched blocks from floods and scans, erasing,
// threads.
// SPDX-License-Identifier: Apache-2.0
#include "engine/cache/block_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "engine/base/random.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kMiB = 1 << 20;

std::shared_ptr<const Block> MakeBlock(uint64_t number, size_t size = 64 << 10) {
  auto block = std::make_shared<Block>(size);
  std::memset(block->data(), 0, size);
  std::memcpy(block->data(), &number, sizeof(number));
  return block;
}

uint64_t NumberOf(const Block& block) {
  uint64_t number;
  std::memcpy(&number, block.bytes().data(), sizeof(number));
  return number;
}

TEST(BlockCacheTest, FindsWhatWasInserted) {
  BlockCache cache(4 * kMiB);
  EXPECT_EQ(cache.Find(1, 0), nullptr);
  cache.Insert(1, 0, MakeBlock(10));
  cache.Insert(2, 0, MakeBlock(20));
  cache.Insert(1, 5, MakeBlock(15));
  EXPECT_EQ(NumberOf(*cache.Find(1, 0)), 10u);
  EXPECT_EQ(NumberOf(*cache.Find(2, 0)), 20u);
  EXPECT_EQ(NumberOf(*cache.Find(1, 5)), 15u);
  cache.Insert(1, 5, MakeBlock(16));
  EXPECT_EQ(NumberOf(*cache.Find(1, 5)), 16u);
  BlockCache::Stats stats = cache.stats();
  EXPECT_EQ(stats.blocks, 3u);
  EXPECT_EQ(stats.hits, 4u);
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.bytes, 3 * MakeBlock(0)->charge());
}

TEST(BlockCacheTest, StaysWithinItsCapacity) {
  for (uint64_t capacity : {kMiB, 20 * kMiB}) {
    BlockCache cache(capacity);
    for (uint64_t i = 0; i < 1000; ++i) {
      cache.Insert(1, i << 16, MakeBlock(i));
      ASSERT_LE(cache.stats().bytes, capacity);
    }
    EXPECT_GT(cache.stats().bytes, capacity / 2);
    EXPECT_EQ(cache.stats().blocks + cache.stats().evictions, 1000u);
  }
}

TEST(BlockCacheTest, AFloodOfNewBlocksLeavesThoseTouchedTwice) {
  BlockCache cache(4 * kMiB);  // one shard with room for about 63 blocks
  for (uint64_t i = 0; i < 20; ++i) cache.Insert(1, i, MakeBlock(i));
  for (uint64_t i = 0; i < 20; ++i) ASSERT_NE(cache.Find(1, i), nullptr);
  for (uint64_t i = 0; i < 1000; ++i) cache.Insert(2, i, MakeBlock(i));
  for (uint64_t i = 0; i < 20; ++i) EXPECT_NE(cache.Find(1, i), nullptr) << i;
}

TEST(BlockCacheTest, ScansMoveNothingAndTheirBlocksLeaveFirst) {
  BlockCache cache(4 * kMiB);
  size_t room = 4 * kMiB / MakeBlock(0)->charge();
  for (uint64_t i = 0; i < room; ++i) cache.Insert(1, i, MakeBlock(i));
  // A scan does not touch, so 0 stays the coldest block.
  ASSERT_NE(cache.Find(1, 0, CacheUse::kScan), nullptr);
  cache.Insert(1, room, MakeBlock(room));
  EXPECT_EQ(cache.Find(1, 0), nullptr);
  for (uint64_t i = 0; i < 100; ++i) cache.Insert(2, i, MakeBlock(i), CacheUse::kScan);
  for (uint64_t i = 1; i <= room; ++i) EXPECT_NE(cache.Find(1, i, CacheUse::kScan), nullptr) << i;
}

TEST(BlockCacheTest, AnOldHotSetMakesRoomForANewOne) {
  BlockCache cache(4 * kMiB);
  Random random(1);
  for (uint64_t file = 1; file <= 3; ++file) {
    for (int read = 0; read < 1000; ++read) {
      uint64_t i = random.Uniform(40);
      if (cache.Find(file, i) == nullptr) cache.Insert(file, i, MakeBlock(i));
    }
    int found = 0;
    for (uint64_t i = 0; i < 40; ++i) found += cache.Find(file, i) != nullptr;
    EXPECT_EQ(found, 40) << "file " << file;
  }
}

TEST(BlockCacheTest, EraseFileTakesOnlyThatFile) {
  BlockCache cache(20 * kMiB);
  for (uint64_t i = 0; i < 50; ++i) {
    cache.Insert(1, i, MakeBlock(i));
    cache.Insert(2, i, MakeBlock(i));
    static_cast<void>(cache.Find(1, i));
  }
  std::shared_ptr<const Block> pinned = cache.Find(1, 7);
  cache.EraseFile(1);
  EXPECT_EQ(cache.stats().blocks, 50u);
  for (uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(cache.Find(1, i), nullptr);
    EXPECT_NE(cache.Find(2, i), nullptr);
  }
  EXPECT_EQ(NumberOf(*pinned), 7u);
}

TEST(BlockCacheTest, ChangesItsCapacityAndKeepsTheWarmest) {
  BlockCache cache(4 * kMiB);  // one shard
  for (uint64_t i = 0; i < 60; ++i) cache.Insert(1, i, MakeBlock(i));
  for (uint64_t i = 0; i < 10; ++i) ASSERT_NE(cache.Find(1, i), nullptr);
  cache.SetCapacity(kMiB);
  EXPECT_LE(cache.stats().bytes, kMiB);
  for (uint64_t i = 0; i < 10; ++i) EXPECT_NE(cache.Find(1, i), nullptr) << i;
  cache.SetCapacity(8 * kMiB);
  for (uint64_t i = 0; i < 110; ++i) cache.Insert(1, i, MakeBlock(i));
  EXPECT_EQ(cache.stats().blocks, 110u);
}

TEST(BlockCacheTest, ABlockLargerThanAShardIsNotKept) {
  BlockCache cache(kMiB);
  cache.Insert(1, 0, MakeBlock(1));
  cache.Insert(1, 1, MakeBlock(2, 2 * kMiB));
  EXPECT_EQ(cache.Find(1, 1), nullptr);
  EXPECT_NE(cache.Find(1, 0), nullptr);
}

TEST(BlockCacheTest, ManyThreadsGetTheRightBlocks) {
  BlockCache cache(2 * kMiB);
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      Random random(t);
      for (int i = 0; i < 20'000; ++i) {
        uint64_t file = random.Uniform(3);
        uint64_t offset = random.Uniform(100);
        auto use = random.OneIn(4) ? CacheUse::kScan : CacheUse::kPoint;
        auto block = cache.Find(file, offset, use);
        ASSERT_TRUE(block == nullptr || NumberOf(*block) == file * 1000 + offset);
        if (block == nullptr)
          cache.Insert(file, offset, MakeBlock(file * 1000 + offset, 9000), use);
        if (random.OneIn(5000)) cache.EraseFile(file);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache.stats().bytes, cache.capacity_bytes());
}

}  // namespace
}  // namespace sippar::engine
