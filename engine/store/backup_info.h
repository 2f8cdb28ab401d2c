// What there is to know of a backup without opening it. Plain data. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sippar::engine {

struct BackupInfo {
  std::string name;  // of a dropped table that is kept: the table's
  bool is_dropped_table = false;
  std::string source_table;
  std::string source_backup;  // of a copy
  int64_t started_us = 0;
  int64_t ended_us = 0;
  int64_t expires_us = 0;   // it is gone from then on
  uint64_t size_bytes = 0;  // of its files, whoever else names them
};

}  // namespace sippar::engine
