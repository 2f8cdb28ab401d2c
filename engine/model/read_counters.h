// Counters for the work of one read, updated only by the reading thread. EXPLAIN ANALYZE shows the
// counters, and SHOW METRICS their sums per table. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sippar::engine {

struct ReadCounters {
  uint64_t reads = 0;         // tablets opened for reading
  uint64_t groups_read = 0;   // locality groups read
  uint64_t groups_left = 0;   // locality groups not read
  uint64_t files_read = 0;    // SSTables read; each counts once per row range
  uint64_t files_by_key = 0;  // SSTables left out by their key range
  uint64_t files_by_bloom = 0;
  uint64_t files_by_time = 0;
  uint64_t blocks_pinned = 0;  // blocks found pinned, in an in-memory group
  uint64_t blocks_cached = 0;
  uint64_t blocks_from_disk = 0;
  uint64_t blocks_by_time = 0;  // blocks left out by their time range
  uint64_t disk_bytes = 0;      // stored bytes read from files
  uint64_t disk_reads = 0;
  uint64_t seeks = 0;  // seeks within SSTables
  uint64_t entries_seen = 0;
  uint64_t cells_returned = 0;

  void Add(const ReadCounters& other);
};

struct ReadCounterField {
  std::string_view name;
  uint64_t ReadCounters::*field;
};

inline constexpr std::array<ReadCounterField, 16> kReadCounterFields = {{
    {"reads", &ReadCounters::reads},
    {"groups_read", &ReadCounters::groups_read},
    {"groups_left", &ReadCounters::groups_left},
    {"files_read", &ReadCounters::files_read},
    {"files_by_key", &ReadCounters::files_by_key},
    {"files_by_bloom", &ReadCounters::files_by_bloom},
    {"files_by_time", &ReadCounters::files_by_time},
    {"blocks_pinned", &ReadCounters::blocks_pinned},
    {"blocks_cached", &ReadCounters::blocks_cached},
    {"blocks_from_disk", &ReadCounters::blocks_from_disk},
    {"blocks_by_time", &ReadCounters::blocks_by_time},
    {"disk_bytes", &ReadCounters::disk_bytes},
    {"disk_reads", &ReadCounters::disk_reads},
    {"seeks", &ReadCounters::seeks},
    {"entries_seen", &ReadCounters::entries_seen},
    {"cells_returned", &ReadCounters::cells_returned},
}};

inline void ReadCounters::Add(const ReadCounters& other) {
  for (const ReadCounterField& entry : kReadCounterFields) {
    this->*entry.field += other.*entry.field;
  }
}

}  // namespace sippar::engine
