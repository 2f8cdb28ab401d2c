// A mutation may not increment or append to a column that one of its earlier entries changed. The
// statements of a row transaction may do that, although they become one mutation, so FoldEntry
// merges such an entry into the earlier one. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"
#include "engine/model/mutation.h"

namespace sippar::query {

// True for an increment or append: its result depends on the column's newest cell.
bool BuildsOnCell(const engine::MutationEntry& entry);

// Adds `entry` to `*writes`. An increment or append is merged into the last entry that touches its
// column if that earlier entry deletes the whole column, or if both have the server's time and the
// earlier one is a set or of the same kind. kFailedPrecondition: `entry` increments a value that is
// not an INT64. kInvalidArgument: an entry touches the column and the two cannot be merged.
[[nodiscard]] Status FoldEntry(engine::MutationEntry entry, engine::RowMutation* writes);

}  // namespace sippar::query
