// What must hold after every recovery of the kill walk. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/status.h"
#include "engine/store/store.h"
#include "tests/engine/kill/walk_journal.h"

namespace sippar::engine {

// Every acknowledged call is there, whole and once; of calls that were not answered each atom is
// there or not, which is noted and holds from now on; nothing else is there. kDataLoss lists what
// differs.
[[nodiscard]] Status CheckContent(Store* store, WalkJournal* journal);
// Every block of every SSTable is whole.
[[nodiscard]] Status CheckBlocks(Store* store);
// The change stream has every change of every tablet, up to the last one.
[[nodiscard]] Status CheckChanges(Store* store);
// No file is left that nothing names, as soon as background work is done with its own.
[[nodiscard]] Status CheckNoOrphans(Store* store, const std::string& directory);

}  // namespace sippar::engine
