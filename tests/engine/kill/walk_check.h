// What must hold after every recovery of the kill walk, besides what the store checks itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"
#include "tests/engine/kill/walk_journal.h"
#include "tests/engine/kill/walk_store.h"

namespace sippar::engine {

// Every acknowledged call is there, whole and once; of calls that were not answered each atom is
// there or not, which is noted and holds from now on; nothing else is there. kDataLoss lists what
// differs.
[[nodiscard]] Status CheckContent(WalkStore* store, WalkJournal* journal);

// The changes of table t, read from the beginning of its change stream and made again in the order
// of each row, give what the table holds: no change is missing, twice or out of order. Family x
// is left out, which the walk drops and adds again: that is no change of a row.
[[nodiscard]] Status CheckChanges(WalkStore* store, uint64_t seed);

}  // namespace sippar::engine
