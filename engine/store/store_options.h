// Every setting of a store, its default and its reason. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/clock.h"
#include "engine/fs/file_system.h"

namespace sippar::engine {

struct StoreOptions {
  FileSystem* fs = nullptr;        // required
  Clock* clock = nullptr;          // required
  bool create_if_missing = false;  // an absent or empty directory becomes a new store
  bool sync_writes = true;         // false: acknowledged writes may be lost with the machine
  // Memtables of all tablets together; half as much again for the block cache. Writers slow down
  // from here on and stop at twice this.
  uint64_t memtable_budget = 256ull << 20;
  uint64_t memtable_size = 64ull << 20;  // a tablet above is flushed
  uint64_t block_cache_size = 128ull << 20;
  uint64_t pinned_blocks_size = 64ull << 20;  // in-memory groups, what is above goes by the cache
  uint64_t log_segment_size = 64ull << 20;    // paper section 6
  uint64_t log_segments_max = 8;  // above, tablets that hold back the oldest are flushed
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
  // memory or disks are not trusted (reliability D5). Costs a third of the flush.
  bool paranoid_flush = false;
  bool background = true;  // false: tests flush and compact by hand
};

}  // namespace sippar::engine
