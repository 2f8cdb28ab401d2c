// What a locality group of a tablet, or of a table, takes. Plain data. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/sstable/file_summary.h"

namespace sippar::engine {

struct GroupStats {
  std::string group;
  uint64_t sstables = 0;
  uint64_t stored_bytes = 0;  // of its SSTables
  uint64_t raw_bytes = 0;     // keys and values before compression
  uint64_t entries = 0;       // of memtables and SSTables
  // Of its SSTables; exact after a major compaction. `raw_bytes` and `entries` of the group add
  // what lies in memory.
  uint64_t rows = 0;
  std::map<std::string, FamilyBytes> families;
  uint64_t memtable_bytes = 0;
};

}  // namespace sippar::engine
