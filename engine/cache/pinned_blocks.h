// Decoded blocks of one file of an in-memory locality group, kept as long as the file is open
// (paper section 6, "Locality groups": loaded lazily, then read without the disk). All files of a
// server share the budget; blocks that do not fit are read as those of other groups. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "engine/base/thread.h"
#include "engine/cache/block.h"
#include "engine/cache/pin_budget.h"

namespace sippar::engine {

class PinnedBlocks {
 public:
  PinnedBlocks() = default;
  ~PinnedBlocks();
  PinnedBlocks(const PinnedBlocks&) = delete;
  PinnedBlocks& operator=(const PinnedBlocks&) = delete;

  // nullptr when the block is not pinned. The block lives as long as this object, so the caller
  // must keep the file open while it uses the block.
  const Block* Find(size_t index) const {
    const Slot* slots = slots_.load(std::memory_order_acquire);
    return slots == nullptr ? nullptr : slots[index].load(std::memory_order_acquire);
  }
  // Pins block `index` of the file's `count` blocks. False: the budget has no room for it.
  bool Keep(size_t index, size_t count, std::shared_ptr<const Block> block, PinBudget* budget);

 private:
  using Slot = std::atomic<const Block*>;

  std::atomic<Slot*> slots_{nullptr};
  Mutex mutex_;
  std::unique_ptr<Slot[]> slot_memory_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const Block>> blocks_ GUARDED_BY(mutex_);
  PinBudget* budget_ GUARDED_BY(mutex_) = nullptr;
};

}  // namespace sippar::engine
