// Reading a whole log back at the start of a server (paper section 6): segments are read and
// decoded by several threads, their records sorted by tablet, and tablets replayed by several
// threads, each with its own records only. In parts of some segments, so memory is bounded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"
#include "engine/log/log_segments.h"

namespace sippar::engine {

struct ReplayedLog {
  LogSegments segments;  // with the highest number of each tablet that is still there
  SegmentId last;        // {0,0}: there was none
  uint64_t last_length = 0;
  uint64_t bytes = 0;               // read, headers of unused segments not counted
  uint64_t torn_bytes = 0;          // of a group that a crash cut short, left out
  std::vector<std::string> unused;  // files
  // Bodies of records that were replayed from behind last_length. Perhaps only the memory of this
  // machine has them: they are to be written again before anything builds on them.
  std::vector<std::string> in_doubt;
};

// `redo_of` gives the redo point of a tablet, UINT64_MAX when it is gone; many threads ask it.
// `replay` gets the records behind it: those of one tablet in the order of the log and one at a
// time, different tablets in parallel. The first error, in the order of the log, ends it.
[[nodiscard]] StatusOr<ReplayedLog> ReplayLog(
    FileSystem* fs, const std::string& directory,
    const std::function<uint64_t(uint64_t tablet_id)>& redo_of,
    const std::function<Status(const LogRecord& record)>& replay);

// Such records as a whole segment with this header, there under its name when they are durable:
// recovery finds all of it or none. Its length.
[[nodiscard]] StatusOr<uint64_t> WriteSegmentAgain(FileSystem* fs, const std::string& directory,
                                                   const SegmentHeader& header,
                                                   const std::vector<std::string>& bodies,
                                                   LogSegments::TabletSequences* sequences);

}  // namespace sippar::engine
