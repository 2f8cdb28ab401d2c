// Prints one log segment as text for people, record by record. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "engine/fs/file_system.h"

namespace sippar::engine {

// Prints the segment at `path` (a name as of SegmentFileName) in lines without line ends: the
// header, each record with its entries, then where the whole records end. kInvalidArgument: the
// name is not a segment's. kDataLoss: damage that is not a torn tail, after everything before it
// was printed.
[[nodiscard]] Status DumpSegment(FileSystem* fs, const std::string& path,
                                 const std::function<void(std::string_view line)>& print);

}  // namespace sippar::engine
