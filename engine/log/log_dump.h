// Prints one log segment as text for people, record by record.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "engine/fs/file_system.h"

namespace sippar::engine {

// Prints the segment at `path` (with a name from SegmentFileName) in lines without line ends: the
// header, each record with its entries, then the offset where the whole records end.
// kInvalidArgument: the file does not have a segment's name. kDataLoss: damage that is not a torn
// tail; everything before the damage has been printed.
[[nodiscard]] Status DumpSegment(FileSystem* fs, const std::string& path,
                                 const std::function<void(std::string_view line)>& print);

}  // namespace sippar::engine
