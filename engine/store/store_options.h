// Every setting of a store, its default and its reason. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/fs/file_system.h"

namespace sippar::engine {

struct StoreOptions {
  FileSystem* fs = nullptr;        // required
  Clock* clock = nullptr;          // required
  bool create_if_missing = false;  // an absent or empty directory becomes a new store
  bool sync_writes = true;         // false: acknowledged writes may be lost with the machine
  // Memtables of all tablets together. Writers slow down from here on and stop at twice this.
  uint64_t memtable_budget = 256ull << 20;
  uint64_t memtable_size = 64ull << 20;        // a tablet above is flushed
  uint64_t block_cache_size = 64ull << 20;     // at least
  uint64_t pinned_blocks_size = 192ull << 20;  // in-memory groups, what is above goes by the cache
  // What memtables and pinned blocks leave of this the block cache may use (memory_share.h); 0: its
  // size stays.
  uint64_t memory_limit = 768ull << 20;

  // One figure for all of the above, in the same proportions. Writers are stopped with two thirds
  // of it in memtables; with a quarter pinned that leaves a twelfth for the cache.
  void DivideMemory(uint64_t limit) {
    memtable_budget = limit / 3;
    memtable_size = std::max<uint64_t>(limit / 12, 64 << 10);
    pinned_blocks_size = limit / 4;
    block_cache_size = limit / 12;
    memory_limit = limit;
  }
  uint64_t log_segment_size = 64ull << 20;  // paper section 6
  uint64_t log_segments_max = 8;            // above, tablets that hold back the oldest are flushed
  // A tablet with more stored bytes in SSTables is split (paper section 5.3: 100-200 MB); a table's
  // SPLIT_SIZE comes first.
  uint64_t split_size = 200ull << 20;
  // Deleted data and garbage leave the disk with the next major compaction, which begins when they
  // are this old; 0: only when asked for.
  int64_t major_cycle_us = int64_t{24} * 3600 * 1'000'000;
  // Bytes per second written by compactions that neither readers nor writers wait for; 0:
  // unlimited.
  uint64_t background_rate = 64ull << 20;
  // A flush is read back and compared with the memtables before the log may go: for machines whose
  // memory or disks are not trusted (FAULTS.md D5). Costs a third of the flush.
  bool paranoid_flush = false;
  bool background = true;  // false: tests flush and compact by hand
};

}  // namespace sippar::engine
