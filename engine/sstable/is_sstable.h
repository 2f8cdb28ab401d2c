// Whether a file is what its name says: a sweep takes only what this program wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/fs/file_system.h"

namespace sippar::engine {

// The file at `path` ends with a whole footer of SSTable `file_id`. A writer gives a file its name
// only then. kNotFound: no such file.
[[nodiscard]] StatusOr<bool> IsSstable(FileSystem* fs, const std::string& path, uint64_t file_id);

}  // namespace sippar::engine
