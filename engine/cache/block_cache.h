// The cache of decoded SSTable blocks (paper section 6, "Block Cache"): sharded, bounded in bytes,
// and scan-resistant. A block enters a probation list and moves to the protected list when it is
// used again; blocks are evicted from the cold end of probation first. A scan moves no block. Used
// by SstableReader. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/thread.h"
#include "engine/cache/block.h"
#include "engine/cache/pin_budget.h"

namespace sippar::engine {

// The purpose of a lookup or insertion.
enum class CacheUse : uint8_t {
  kPoint,  // counts as a use; a new block enters at the warm end of probation
  kScan,   // moves no block; a new block enters at the cold end and is evicted first
};

class BlockCache {
 public:
  // In-memory groups may pin `pinned_bytes` in addition to the capacity (PinnedBlocks).
  explicit BlockCache(uint64_t capacity_bytes, uint64_t pinned_bytes = 0);
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  // nullptr when the block is not cached.
  std::shared_ptr<const Block> Find(uint64_t file_id, uint64_t offset,
                                    CacheUse use = CacheUse::kPoint);
  // Replaces a cached block of the same file and offset. A block larger than a shard is not kept.
  void Insert(uint64_t file_id, uint64_t offset, std::shared_ptr<const Block> block,
              CacheUse use = CacheUse::kPoint);
  // Removes the blocks of a deleted file, so that they make room at once.
  void EraseFile(uint64_t file_id);

  struct Stats {
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t evictions = 0;
    uint64_t blocks = 0;
    uint64_t bytes = 0;  // charged bytes (Block::charge)
    uint64_t pinned_bytes = 0;
    uint64_t pins_refused = 0;  // times that the pin budget had no room for a block
  };
  Stats stats() const;
  // May be called at any time. Immediately evicts blocks that no longer fit, coldest first.
  void SetCapacity(uint64_t capacity_bytes);
  uint64_t capacity_bytes() const { return capacity_bytes_; }
  PinBudget* pins() { return &pins_; }

 private:
  class Shard;
  Shard& ShardOf(uint64_t file_id, uint64_t offset) const;

  Mutex resize_mutex_;  // held by SetCapacity, so that two calls do not interleave
  std::atomic<uint64_t> capacity_bytes_;
  PinBudget pins_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace sippar::engine
