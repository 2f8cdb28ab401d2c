// Makes a store with a damaged commit log usable again, without the lost writes (tests/FAULTS.md
// D2). Used by `sippar admin log salvage`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "engine/fs/file_system.h"

namespace sippar::engine {

// Reports through `print`, line by line, what is damaged and which records a salvage drops. Changes
// nothing unless `drop` is true: then the records that can be kept become one new segment, and the
// old segments stay in wal/ as NAME.salvaged, for examination by other means. A log without damage
// is left as it is. The store must not be open.
[[nodiscard]] Status SalvageLog(FileSystem* fs, const std::string& directory, bool drop,
                                const std::function<void(std::string_view line)>& print);

}  // namespace sippar::engine
