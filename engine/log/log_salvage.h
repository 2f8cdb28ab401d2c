// What is left of a log that recovery refuses to read because it is damaged (FAULTS.md D2).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

struct SalvagedLog {
  std::vector<std::string> bodies;  // of the records that can be kept, in the order of the log
  std::vector<std::string> files;   // names of all segments, the given up ones too
  SegmentId newest;                 // that was ever made, as far as anything tells
  uint64_t damages = 0;             // places that are damaged, and segments that are missing
  uint64_t records_dropped = 0;     // whole, but behind what is lost of the same tablet
};

// Reads past damage. Of each tablet the records up to its first gap can be kept: a later one may
// build on what is lost. `redo_of` as ReplayLog's; nullopt: not known, the tablet's records begin
// where the log has its first one. `print` gets a line for each damage and for each
// record that is dropped. Holds all records that are kept in memory.
[[nodiscard]] StatusOr<SalvagedLog> ReadDamagedLog(
    FileSystem* fs, const std::string& directory,
    const std::function<std::optional<uint64_t>(uint64_t tablet_id)>& redo_of,
    const std::function<void(std::string_view line)>& print);

}  // namespace sippar::engine
