// SPDX-License-Identifier: Apache-2.0
#include "engine/cache/pinned_blocks.h"

#include <utility>

namespace sippar::engine {

PinnedBlocks::~PinnedBlocks() {
  MutexLock lock(&mutex_);
  for (const auto& block : blocks_) budget_->Give(block->charge());
}

bool PinnedBlocks::Keep(size_t index, size_t count, std::shared_ptr<const Block> block,
                        PinBudget* budget) {
  MutexLock lock(&mutex_);
  if (slot_memory_ != nullptr && slot_memory_[index].load() != nullptr) return true;
  if (!budget->Take(block->charge())) return false;
  budget_ = budget;
  if (slot_memory_ == nullptr) {
    // Allocates the slots at the first pin, since most files pin no block. They never move, because
    // Find reads them without the lock.
    slot_memory_ = std::make_unique<Slot[]>(count);
    slots_.store(slot_memory_.get(), std::memory_order_release);
  }
  slot_memory_[index].store(block.get(), std::memory_order_release);
  blocks_.push_back(std::move(block));
  return true;
}

}  // namespace sippar::engine
