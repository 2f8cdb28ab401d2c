// The SEAL of a dead server's log (PROTOCOL.md, F3): which segments count and up to where,
// written once and believed for ever. Before it, what the last group left behind may read
// differently each time (a torn tail, a late write); after it, every recovery of the log by anybody
// gives the same records. Requires of the caller: the writer is stopped or fenced, that is the
// directory has lost its own name (F2). Bytes: FORMAT.md "Sealed logs".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"
#include "engine/log/log_segments.h"

namespace sippar::engine {

struct SealedSegment {
  SegmentId id;
  uint64_t length = 0;    // accepted; what lies behind was never acknowledged
  uint64_t checksum = 0;  // XXH3 of these bytes
  LogSegments::TabletSequences last_sequences;
};

struct LogSeal {
  std::vector<SealedSegment> segments;  // oldest first

  LogSegments::TabletSequences LastSequences() const;  // of all segments
  const SealedSegment* Find(SegmentId id) const;       // nullptr: not in the seal
  std::string Encode() const;
  [[nodiscard]] static StatusOr<LogSeal> Decode(std::string_view body);
};

// Obeys the SEAL that is there, else reads the log and writes one; if somebody else writes one
// meanwhile, the first counts. `attempt` names the caller: two that run at once differ in it.
// kDataLoss names file and offset.
[[nodiscard]] StatusOr<LogSeal> SealLog(FileSystem* fs, const std::string& directory,
                                        uint64_t attempt);
// Whether a log that is not sealed can be: reads it as SealLog does and changes nothing. kDataLoss
// names file and offset.
[[nodiscard]] Status ProveLog(FileSystem* fs, const std::string& directory);
// kNotFound: the log is not sealed.
[[nodiscard]] StatusOr<LogSeal> ReadSeal(FileSystem* fs, const std::string& directory);

// What counts of a sealed segment, verified against the seal.
[[nodiscard]] StatusOr<std::string> ReadSealedSegment(FileSystem* fs, const std::string& directory,
                                                      const SealedSegment& segment);

}  // namespace sippar::engine
