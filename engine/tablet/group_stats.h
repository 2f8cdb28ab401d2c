// Sizes of one locality group, of one tablet or summed over a table. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/sstable/file_summary.h"

namespace sippar::engine {

struct GroupStats {
  std::string group;
  uint64_t sstables = 0;
  uint64_t stored_bytes = 0;  // bytes of its SSTables on disk
  uint64_t raw_bytes = 0;     // keys and values before compression
  uint64_t entries = 0;       // entries of memtables and SSTables
  // Rows in its SSTables; exact only after a major compaction. Unlike `raw_bytes` and `entries`,
  // `rows` and `families` leave out what is still in memory.
  uint64_t rows = 0;
  std::map<std::string, FamilyBytes> families;
  uint64_t memtable_bytes = 0;  // keys and values in memtables; `raw_bytes` includes them
};

}  // namespace sippar::engine
