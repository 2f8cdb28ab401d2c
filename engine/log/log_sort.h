// Sorts one sealed segment by tablet, so that each tablet's next server reads its own slice only
// (paper section 6: "all mutations for a particular tablet are contiguous"). The paper sorts by
// (table, row, sequence); our records name their tablet, and those of a tablet stay in the order of
// the log, which is the order of their sequence numbers, so that recovery still notices a missing
// number.
//
// The bytes depend on the sealed segment alone: any number of attempts by any servers, one after
// another or concurrently, make the same file. Format: FORMAT.md "Sealed logs".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/fs/file_system.h"
#include "engine/log/log_seal.h"
#include "engine/log/log_slice.h"

namespace sippar::engine {

// Creates the sorted file; OK also if the file exists already. `attempt`: see SealLog.
[[nodiscard]] Status SortSegment(FileSystem* fs, const std::string& directory,
                                 const SealedSegment& segment, uint64_t attempt);

// Opens the sorted file of a segment. kNotFound: the segment has none. kDataLoss names the file.
[[nodiscard]] StatusOr<LogPart> OpenSortedPart(FileSystem* fs, const std::string& directory,
                                               const SealedSegment& segment);
// Opens the segment as it was written; reads all of it once to find each tablet's records.
[[nodiscard]] StatusOr<LogPart> OpenUnsortedPart(FileSystem* fs, const std::string& directory,
                                                 const SealedSegment& segment);

}  // namespace sippar::engine
