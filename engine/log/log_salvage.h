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
  std::vector<std::string> files;   // names of all segment files, including unused ones
  SegmentId newest;                 // the newest segment ever created, as far as known
  uint64_t damages = 0;             // damaged places and missing segments
  uint64_t records_dropped = 0;     // whole records after a lost record of the same tablet
};

// Reads past damage. The records of each tablet up to its first gap can be kept; a later record may
// depend on a lost one. `redo_of`: as for ReplayLog; nullopt: the redo point is unknown, so no
// record is expected before the tablet's first one in the log. `print` gets a line for each damage
// and each dropped record. Holds all kept records in memory.
[[nodiscard]] StatusOr<SalvagedLog> ReadDamagedLog(
    FileSystem* fs, const std::string& directory,
    const std::function<std::optional<uint64_t>(uint64_t tablet_id)>& redo_of,
    const std::function<void(std::string_view line)>& print);

}  // namespace sippar::engine
