// Checks whether a file is what its name says, so that a sweep removes only files that this program
// wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/fs/file_system.h"

namespace sippar::engine {

// True if the file at `path` ends with a whole footer of SSTable `file_id`, in a format that this
// program knows. SstableWriter renames a file to its final name only after it has written the
// footer. kNotFound: there is no such file.
[[nodiscard]] StatusOr<bool> IsSstable(FileSystem* fs, const std::string& path, uint64_t file_id);

}  // namespace sippar::engine
