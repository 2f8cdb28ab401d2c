// The checks after every recovery of the kill walk, besides those of the store itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"
#include "tests/engine/kill/walk_journal.h"
#include "tests/engine/kill/walk_store.h"

namespace sippar::engine {

// Checks that the effect of every acknowledged call is there, whole and once. Of unanswered calls,
// each atom may be there or not; the result is recorded in the journal and holds from now on.
// Nothing else may be there. kDataLoss lists the differences.
[[nodiscard]] Status CheckContent(WalkStore* store, WalkJournal* journal);

// Reads the change stream of table t from its beginning and repeats the changes in the order of
// each row: the result must equal the table, so no change is missing, repeated or out of order.
// Leaves out family x, because the walk drops it and adds it again, which is not a change of a row.
[[nodiscard]] Status CheckChanges(WalkStore* store, uint64_t seed);

}  // namespace sippar::engine
