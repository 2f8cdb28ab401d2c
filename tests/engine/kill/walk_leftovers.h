// Finds files in the directory of a closed store that no record names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::engine {

// Paths of logs, and of SSTables, including unfinished ones, that neither METADATA nor a backup
// names: a start removes them. Archives of changes without a table are not included: a sweep of the
// master removes these some time after a start. kDataLoss: the doctor finds a problem in
// `directory`.
[[nodiscard]] StatusOr<std::set<std::string>> FindLeftovers(FileSystem* fs,
                                                            const std::string& directory);

}  // namespace sippar::engine
