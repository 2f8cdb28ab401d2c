// Files in the directory of a closed store that nothing names. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::engine {

// Paths of SSTables, unfinished ones too, that neither METADATA nor a backup names, and of logs: a
// start removes them. Archives of changes without a table are not among them: a sweep of the master
// removes these, some time after a start. kDataLoss: the doctor of `directory` finds fault with it.
[[nodiscard]] StatusOr<std::set<std::string>> FindLeftovers(FileSystem* fs,
                                                            const std::string& directory);

}  // namespace sippar::engine
