// Reads a whole log back that has no SEAL (paper section 6): several threads read and decode
// segments, the records are sorted by tablet, and several threads then each replay one tablet at a
// time. Works on a few segments at a time, so that memory is bounded. Only tests of the engine
// start in this way: tablet servers replay sealed logs (sealed_log.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"
#include "engine/log/log_segments.h"

namespace sippar::engine {

// The state of the log after the replay, from which CommitLog continues.
struct ReplayedLog {
  LogSegments segments;  // segments with the highest sequence number of each existing tablet
  SegmentId last;        // newest segment; {0,0}: there was no segment
  uint64_t last_length = 0;
  uint64_t bytes = 0;               // bytes read, except the headers of unused segments
  uint64_t torn_bytes = 0;          // bytes of a group that a crash cut short
  std::vector<std::string> unused;  // names of unused files
  // Bodies of all records after last_length. They may exist only in this machine's memory, so they
  // must be written again before anything depends on them.
  std::vector<std::string> in_doubt;
};

// `redo_of` returns the redo point of a tablet, or UINT64_MAX if the tablet is gone; many threads
// call it. `replay` gets the records above the redo point. It gets the records of one tablet one at
// a time in the order of the log, and those of different tablets concurrently. After an error no
// later part of the log is read. Of several errors in one part, returns that of the oldest segment,
// or, if all segments could be read, that of the lowest tablet id.
[[nodiscard]] StatusOr<ReplayedLog> ReplayLog(
    FileSystem* fs, const std::string& directory,
    const std::function<uint64_t(uint64_t tablet_id)>& redo_of,
    const std::function<Status(const LogRecord& record)>& replay);

// Writes records in doubt as a whole segment with this header. The segment gets its name only when
// it is durable, so a recovery finds all of it or nothing. Returns its length.
[[nodiscard]] StatusOr<uint64_t> WriteSegmentAgain(FileSystem* fs, const std::string& directory,
                                                   const SegmentHeader& header,
                                                   const std::vector<std::string>& bodies,
                                                   LogSegments::TabletSequences* sequences);

}  // namespace sippar::engine
