// InodeTable: the numbers by which the kernel knows nodes, with the kernel's lookup count of each.
// A number consists of slot and generation, never a pointer, so that a stale number is detected.
// Does not depend on libfuse. Used by dispatch, change_notifier and node_trimmer. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/thread.h"
#include "fuse/tree/attributes.h"

namespace sippar::fuse {

inline constexpr uint64_t kRootNodeId = 1;  // fixed by the FUSE protocol; never forgotten

class InodeTable {
 public:
  struct Inode {
    Node node;
    Attributes attributes;
  };

  explicit InodeTable(const Entry& root);

  // Returns the number of the entry's node and counts one more lookup. Equal nodes share one number
  // as long as the kernel knows it.
  uint64_t Acquire(const Entry& entry) EXCLUDES(mutex_);
  // Returns std::nullopt if the kernel has forgotten the number.
  std::optional<Inode> Find(uint64_t node_id) EXCLUDES(mutex_);
  // The number of the node; 0: the kernel does not know it. Counts no lookup and no use.
  uint64_t NumberOf(const Node& node) EXCLUDES(mutex_);
  // Subtracts `lookups` from the lookup count; at zero the number is freed. Ignores unknown
  // numbers.
  void Forget(uint64_t node_id, uint64_t lookups) EXCLUDES(mutex_);
  uint64_t size() EXCLUDES(mutex_);  // numbers in use, including the root

  // A row, and the number by which the kernel knows the node of its table (here `table_id`).
  struct RowPlace {
    uint64_t table_id = 0;
    std::string row;
  };
  // Returns up to `count` rows that were not used since the previous pass over them, and clears
  // their use marks (clock algorithm). The next call continues where this one ended. If fewer than
  // `count` rows are returned, the call has passed over all rows once.
  std::vector<RowPlace> IdleRows(size_t count) EXCLUDES(mutex_);

 private:
  struct Slot {
    std::string key;  // EncodeNode(node); empty: the slot is free
    uint64_t size_bytes = 0;
    int64_t changed_at_us = 0;
    uint64_t lookups = 0;
    uint32_t generation = 0;
    uint32_t hash = 0;
    bool is_used = false;  // used since IdleRows last passed over it
  };

  Slot* FindSlot(uint64_t node_id) REQUIRES(mutex_);
  // Position of `key` in index_, or of the free slot for it.
  size_t Probe(const std::string& key, uint32_t hash) const REQUIRES(mutex_);
  void GrowIndex() REQUIRES(mutex_);
  void EraseFromIndex(size_t slot_index) REQUIRES(mutex_);
  size_t NewSlot() REQUIRES(mutex_);
  uint64_t NodeIdOf(size_t slot_index) const REQUIRES(mutex_);

  engine::Mutex mutex_;
  std::deque<Slot> slots_ GUARDED_BY(mutex_);
  std::vector<uint32_t> free_ GUARDED_BY(mutex_);
  std::vector<uint32_t> index_ GUARDED_BY(mutex_);  // open addressing: slot index + 1; 0: free
  uint64_t count_ GUARDED_BY(mutex_) = 0;
  uint32_t next_generation_ GUARDED_BY(mutex_) = 0;
  std::string key_ GUARDED_BY(mutex_);       // scratch buffer; saves an allocation per call
  size_t next_idle_ GUARDED_BY(mutex_) = 0;  // slot that IdleRows examined last
};

}  // namespace sippar::fuse
