// One sealed segment sorted by tablet, so that each tablet's next server reads its own slice only
// (paper section 6: "a contiguous portion of the log"). The paper sorts by (table, row, sequence);
// our records name their tablet, and within it stay in the order of the log, which is that of their
// sequence numbers: so recovery still notices a number that is missing.
//
// The bytes follow from the sealed segment alone: any number of attempts by any server, one after
// the other or at once, make the same file. FORMAT.md "Sealed logs".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/fs/file_system.h"
#include "engine/log/log_seal.h"
#include "engine/log/log_slice.h"

namespace sippar::engine {

// OK when the file is there already. `attempt` names the caller as in SealLog.
[[nodiscard]] Status SortSegment(FileSystem* fs, const std::string& directory,
                                 const SealedSegment& segment, uint64_t attempt);

// The sorted file of a segment. kNotFound: there is none; kDataLoss names file and offset.
[[nodiscard]] StatusOr<LogPart> OpenSortedPart(FileSystem* fs, const std::string& directory,
                                               const SealedSegment& segment);
// The segment as it was written, read once as a whole to find what is whose.
[[nodiscard]] StatusOr<LogPart> OpenUnsortedPart(FileSystem* fs, const std::string& directory,
                                                 const SealedSegment& segment);

}  // namespace sippar::engine
