// RecentRows: the rows that a listing or a lookup has just found. ls -l and find look up each row
// of a listing, and these lookups need no read. The array is direct-mapped by inode number: if two
// rows share a slot, the lookup of one of them needs a read. Used by fuse/tree and
// fuse/directories. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/thread.h"
#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {

class RecentRows {
 public:
  explicit RecentRows(int64_t freshness_us) : freshness_ns_(freshness_us * 1000) {}

  // `read_at_ns` is the time when the read that returned the row began.
  void Note(uint64_t inode_number, int64_t read_at_ns) {
    engine::MutexLock lock(&mutex_);
    if (slots_.empty()) slots_.resize(kRecentRowsMax);
    slots_[inode_number % kRecentRowsMax] = {inode_number, read_at_ns};
  }

  void Forget(uint64_t inode_number) {
    engine::MutexLock lock(&mutex_);
    if (slots_.empty()) return;
    Slot& slot = slots_[inode_number % kRecentRowsMax];
    if (slot.inode_number == inode_number) slot = {};
  }

  // The time of the read that last returned the row; std::nullopt if unknown or older than the
  // freshness.
  std::optional<int64_t> Find(uint64_t inode_number, int64_t now_ns) {
    engine::MutexLock lock(&mutex_);
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[inode_number % kRecentRowsMax];
    bool is_fresh = now_ns - slot.read_at_ns < freshness_ns_;
    if (slot.inode_number != inode_number || !is_fresh) return std::nullopt;
    return slot.read_at_ns;
  }

 private:
  struct Slot {
    uint64_t inode_number = 0;
    int64_t read_at_ns = 0;
  };

  const int64_t freshness_ns_;
  engine::Mutex mutex_;
  std::vector<Slot> slots_ GUARDED_BY(mutex_);  // allocated by the first Note
};

}  // namespace sippar::fuse
