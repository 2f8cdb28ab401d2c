// What is known of a backup without opening it. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sippar::engine {

struct BackupInfo {
  std::string name;  // for a dropped table that is kept: the table's name
  bool is_dropped_table = false;
  std::string source_table;
  std::string source_backup;  // the backup it was copied from; empty: none
  int64_t started_us = 0;
  int64_t ended_us = 0;
  int64_t expires_us = 0;   // the backup is gone from then on
  uint64_t size_bytes = 0;  // all its files, also those that tables share
};

}  // namespace sippar::engine
