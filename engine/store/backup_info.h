// The facts about a backup: names, times and size. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sippar::engine {

struct BackupInfo {
  std::string name;  // name of the backup or of the dropped table that is kept
  bool is_dropped_table = false;
  std::string source_table;
  std::string source_backup;  // the backup it was copied from; empty: none
  int64_t started_us = 0;
  int64_t ended_us = 0;
  int64_t expires_us = 0;   // the backup is gone after this time
  uint64_t size_bytes = 0;  // size of all its files, even those that tables share
};

}  // namespace sippar::engine
