// What earlier lives of a log left in its directory: the chain of segments that count, found by
// their headers (FORMAT.md "Commit log"). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

struct LogChain {
  struct Segment {
    SegmentId id;
    uint64_t accepted_length = UINT64_MAX;  // told by the next segment
    uint64_t file_length = 0;
    uint64_t synced_length = 0;   // of the newest: at least this much, as a header left out tells
    uint64_t reached_length = 0;  // at least this much is durable, as REACH tells
  };
  std::vector<Segment> segments;  // oldest first
  // Files in which nothing was ever acknowledged, or all is in SSTables.
  std::vector<std::string> unused;
  uint64_t torn_bytes = 0;  // in those of them that are a header and no whole record
};

// Follows the `previous` links from the newest segment that holds records back. Segments off that
// chain were given up before anything in them was acknowledged. kDataLoss names the segment that is
// damaged, or missing though the log needs it (log_reach.h). Changes nothing.
[[nodiscard]] StatusOr<LogChain> FindLogChain(FileSystem* fs, const std::string& directory);

}  // namespace sippar::engine
