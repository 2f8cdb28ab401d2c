// Every setting of a store, with its default and the reason for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/fs/file_system.h"

namespace sippar::engine {

struct StoreOptions {
  FileSystem* fs = nullptr;        // required
  Clock* clock = nullptr;          // required
  bool create_if_missing = false;  // make a store in an absent or empty directory
  bool sync_writes = true;         // false: a power loss may take acknowledged writes
  // Bytes in the memtables of all tablets. Writers slow down above this and stop at twice this.
  uint64_t memtable_budget = 256ull << 20;
  uint64_t memtable_size = 64ull << 20;     // a tablet with larger memtables is flushed
  uint64_t block_cache_size = 64ull << 20;  // least size of the block cache
  // Memory for decoded blocks of in-memory groups; blocks that do not fit use the block cache.
  uint64_t pinned_blocks_size = 192ull << 20;
  // The block cache may use what memtables and pinned blocks leave of this limit (memory_share.h);
  // 0: the size of the block cache is fixed.
  uint64_t memory_limit = 768ull << 20;

  // Divides one limit among all of the above, in the default proportions. Writers stop when the
  // memtables hold two thirds of the limit. Pinned blocks may take a quarter of it, so at least a
  // twelfth is left for the block cache.
  void DivideMemory(uint64_t limit) {
    memtable_budget = limit / 3;
    memtable_size = std::max<uint64_t>(limit / 12, 64 << 10);
    pinned_blocks_size = limit / 4;
    block_cache_size = limit / 12;
    memory_limit = limit;
  }
  uint64_t log_segment_size = 64ull << 20;  // bytes per log segment (paper section 6)
  // If there are more closed segments, the tablets that need the oldest ones are flushed.
  uint64_t log_segments_max = 8;
  // A tablet with more stored bytes in SSTables is split (paper section 5: tablets of 100-200 MB).
  // A table's SPLIT_SIZE takes precedence.
  uint64_t split_size = 200ull << 20;
  // Deleted data and garbage leave the disk with the next major compaction, which begins at the
  // latest when they are this old; 0: only on request.
  int64_t major_cycle_us = int64_t{24} * 3600 * 1'000'000;
  // Bytes per second for compactions that no reader or writer waits for; 0: unlimited.
  uint64_t background_rate = 64ull << 20;
  // Reads each flush back and compares it with the memtables before the log may be removed: for
  // machines whose memory or disks are not trusted (tests/FAULTS.md D5). Costs a third of the
  // flush.
  bool paranoid_flush = false;
  // True if this process does other work, too, as a member that is also a gateway or a master: hot
  // tablets then share only the CPU time in TabletHost::cpu(). False: that of the whole process.
  bool counts_own_cpu = false;
  // false: no thread flushes or compacts, writers are never slowed down, and no slow sync of the
  // log is taken over. For tests, and for a start that only looks on (cluster/node/looking_on.h).
  bool background = true;
};

}  // namespace sippar::engine
