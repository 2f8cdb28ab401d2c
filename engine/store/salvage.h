// Makes a store with a damaged commit log open again, without what is lost (FAULTS.md D2). Used
// by `sippar admin log salvage`. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "engine/fs/file_system.h"

namespace sippar::engine {

// Tells by `print`, line by line, what is damaged and which records a salvage drops; changes
// nothing unless `drop`. With it, what can be kept becomes one new segment, and the old ones stay
// in wal/ as NAME.salvaged, for whoever wants to look at them with other means. A log without
// damage is left as it is. The store must not be open.
[[nodiscard]] Status SalvageLog(FileSystem* fs, const std::string& directory, bool drop,
                                const std::function<void(std::string_view line)>& print);

}  // namespace sippar::engine
