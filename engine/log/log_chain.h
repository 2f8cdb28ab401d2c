// The chain of valid segments that earlier processes left in a log's directory, found by the
// headers of the segments (FORMAT.md "Commit log").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

struct LogChain {
  struct Segment {
    SegmentId id;
    uint64_t accepted_length = UINT64_MAX;  // according to the next segment's header
    uint64_t file_length = 0;
    // Newest segment only: bytes that were synced, according to the header of a later segment that
    // is not in the chain.
    uint64_t synced_length = 0;
    uint64_t reached_length = 0;  // durable bytes according to the file REACH (log_reach.h)
  };
  std::vector<Segment> segments;  // oldest first
  // Names of files that hold no acknowledged records, or only records that SSTables hold too.
  std::vector<std::string> unused;
  uint64_t torn_bytes = 0;  // bytes of unused segments after their header
};

// Follows the `previous` links backward from the newest segment that holds records. Segments off
// that chain were given up before any record in them was acknowledged. kDataLoss names the segment
// that is damaged, or that is missing though the log needs it (log_reach.h). Changes nothing.
[[nodiscard]] StatusOr<LogChain> FindLogChain(FileSystem* fs, const std::string& directory);

}  // namespace sippar::engine
