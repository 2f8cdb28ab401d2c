// Reads what is left of a log that recovery refuses because it is damaged (FAULTS.md D2).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

// The result of reading a damaged log.
struct SalvagedLog {
  std::vector<std::string> bodies;  // bodies of the records to keep, in the order of the log
  std::vector<std::string> files;   // names of all segments, including those given up
  SegmentId newest;                 // the newest segment ever made, as far as known
  uint64_t damages = 0;             // damaged places and missing segments
  uint64_t records_dropped = 0;     // whole records after a loss of the same tablet
};

// Reads past damage. The records of each tablet up to its first gap can be kept; a later one may
// build on what is lost. `redo_of`: as for ReplayLog; nullopt means unknown, then the tablet's
// records begin with its first one in the log. `print` gets a line for each damage and each dropped
// record. Holds all kept records in memory.
[[nodiscard]] StatusOr<SalvagedLog> ReadDamagedLog(
    FileSystem* fs, const std::string& directory,
    const std::function<std::optional<uint64_t>(uint64_t tablet_id)>& redo_of,
    const std::function<void(std::string_view line)>& print);

}  // namespace sippar::engine
