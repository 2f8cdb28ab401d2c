// A mutation may not increment or append to a column that an earlier entry of it changed. The
// statements of a row transaction become one mutation and may do that, so such an entry is folded
// into the earlier one. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"
#include "engine/model/mutation.h"

namespace sippar::query {

// Adds `entry` to `*writes`. An increment or append at the server's time is folded into the last
// entry that touches its column if that entry deletes the column or has the server's time, too.
// kFailedPrecondition if it increments a value that is no INT64.
[[nodiscard]] Status FoldEntry(engine::MutationEntry entry, engine::RowMutation* writes);

}  // namespace sippar::query
