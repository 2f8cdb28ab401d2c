// Bump allocation for one memtable; all of it is freed together. One thread at a time allocates;
// any thread may call memory_bytes(). Large blocks lie in huge pages: a search in a full memtable
// jumps between distant addresses, and with small pages each jump misses the TLB.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "engine/base/huge_memory.h"

namespace sippar::engine {

class Arena {
 public:
  Arena() = default;
  ~Arena() {
    for (const Block& block : blocks_) FreeHuge(block.memory, block.size);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Returns `size` bytes, aligned to 8.
  char* Allocate(size_t size) {
    size = (size + 7) & ~size_t{7};
    if (size > left_) return AllocateBlock(size);
    char* result = next_;
    next_ += size;
    left_ -= size;
    return result;
  }
  size_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  // Blocks start small (4 KiB), so that an idle tablet uses little memory, and double up to this
  // size; large values get a block of their own.
  static constexpr size_t kBlockSizeMax = kHugePageSize;

  struct Block {
    char* memory;
    size_t size;
  };

  char* AllocateBlock(size_t size) {
    bool own = size > next_block_size_ / 4;
    size_t block_size = own ? size : next_block_size_;
    char* block = AllocateHuge(block_size);
    blocks_.push_back({block, block_size});
    memory_bytes_.fetch_add(block_size, std::memory_order_relaxed);
    if (own) return block;
    if (next_block_size_ < kBlockSizeMax) next_block_size_ *= 2;
    next_ = block + size;
    left_ = block_size - size;
    return block;
  }

  char* next_ = nullptr;
  size_t left_ = 0;
  size_t next_block_size_ = 4096;
  std::vector<Block> blocks_;
  std::atomic<size_t> memory_bytes_{0};
};

}  // namespace sippar::engine
