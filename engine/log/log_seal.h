// The SEAL of a dead server's log (PROTOCOL.md, F3): which segments count and up to where, written
// once and valid for ever. Before it exists, two readers may find different remains of the last
// group (a torn tail, a late write). Once it exists, every recovery by any process reads the same
// records. The caller must first have stopped the writer, or fenced it by renaming the log's
// directory (F2). Encoding: FORMAT.md, "Sealed logs".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"
#include "engine/log/log_segments.h"

namespace sippar::engine {

// The part of one segment that counts.
struct SealedSegment {
  SegmentId id;
  uint64_t length = 0;    // accepted length; later bytes were never acknowledged
  uint64_t checksum = 0;  // XXH3 of the accepted bytes
  LogSegments::TabletSequences last_sequences;
};

// The content of a SEAL file.
struct LogSeal {
  std::vector<SealedSegment> segments;  // oldest first

  LogSegments::TabletSequences LastSequences() const;  // highest sequence number of each tablet
  const SealedSegment* Find(SegmentId id) const;       // nullptr: the seal does not name it
  std::string Encode() const;
  [[nodiscard]] static StatusOr<LogSeal> Decode(std::string_view body);
};

// Returns the SEAL if there is one, else reads the log and writes one. If another process writes
// one at the same time, the first one published counts. `attempt` must differ between concurrent
// callers. kDataLoss names the segment that is damaged or missing.
[[nodiscard]] StatusOr<LogSeal> SealLog(FileSystem* fs, const std::string& directory,
                                        uint64_t attempt);
// Checks whether a log without a SEAL could be sealed: reads it like SealLog and changes nothing.
// kDataLoss: see SealLog.
[[nodiscard]] Status ProveLog(FileSystem* fs, const std::string& directory);
// Reads the SEAL. kNotFound: the log is not sealed.
[[nodiscard]] StatusOr<LogSeal> ReadSeal(FileSystem* fs, const std::string& directory);

// Reads the accepted bytes of a sealed segment and verifies them against the seal.
[[nodiscard]] StatusOr<std::string> ReadSealedSegment(FileSystem* fs, const std::string& directory,
                                                      const SealedSegment& segment);

}  // namespace sippar::engine
