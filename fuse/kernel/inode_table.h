// InodeTable: the numbers under which the kernel knows nodes, with the kernel's lookup counts. A
// number is slot and generation, never a pointer, so a stale one is found out. Knows no libfuse.
// Used by dispatch. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/thread.h"
#include "fuse/tree/attributes.h"

namespace sippar::fuse {

inline constexpr uint64_t kRootNodeId = 1;  // fixed by the kernel, never forgotten

class InodeTable {
 public:
  struct Inode {
    Node node;
    Attributes attributes;
  };

  explicit InodeTable(const Entry& root);

  // The number of the entry's node, with one more lookup; equal nodes have one number at a time.
  uint64_t Acquire(const Entry& entry) EXCLUDES(mutex_);
  // Nothing when the kernel has forgotten the number.
  std::optional<Inode> Find(uint64_t node_id) EXCLUDES(mutex_);
  void Forget(uint64_t node_id, uint64_t lookups) EXCLUDES(mutex_);
  uint64_t size() EXCLUDES(mutex_);  // numbers alive, the root included

  // A row and the number of its table.
  struct RowPlace {
    uint64_t table_id = 0;
    std::string row;
  };
  // At most `count` rows that were not asked for since they were looked at last, and looks at the
  // next ones. Fewer: all rows were looked at once.
  std::vector<RowPlace> IdleRows(size_t count) EXCLUDES(mutex_);

 private:
  struct Slot {
    std::string key;  // EncodeNode; empty: free
    uint64_t size_bytes = 0;
    int64_t changed_at_us = 0;
    uint64_t lookups = 0;
    uint32_t generation = 0;
    uint32_t hash = 0;
    bool is_used = false;  // since IdleRows looked at it
  };

  Slot* FindSlot(uint64_t node_id) REQUIRES(mutex_);
  // Place in index_ of `key`, or of the free place where it belongs.
  size_t Probe(const std::string& key, uint32_t hash) const REQUIRES(mutex_);
  void GrowIndex() REQUIRES(mutex_);
  void EraseFromIndex(size_t slot_index) REQUIRES(mutex_);
  size_t NewSlot() REQUIRES(mutex_);
  uint64_t NodeIdOf(size_t slot_index) const REQUIRES(mutex_);

  engine::Mutex mutex_;
  std::deque<Slot> slots_ GUARDED_BY(mutex_);
  std::vector<uint32_t> free_ GUARDED_BY(mutex_);
  std::vector<uint32_t> index_ GUARDED_BY(mutex_);  // open addressing: slot + 1, 0 = free
  uint64_t count_ GUARDED_BY(mutex_) = 0;
  uint32_t next_generation_ GUARDED_BY(mutex_) = 0;
  std::string key_ GUARDED_BY(mutex_);       // scratch
  size_t next_idle_ GUARDED_BY(mutex_) = 0;  // slot that IdleRows looks at next
};

}  // namespace sippar::fuse
