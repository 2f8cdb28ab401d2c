// One mutation may not increment or append to a column that it changed before; the statements of a
// row transaction become one mutation and may. So such an entry is folded into what is there.
// Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"
#include "engine/model/mutation.h"

namespace sippar::query {

// Adds `entry` to `writes`. An increment or append at the server's time is folded into the last
// entry that touches its column, when that has the server's time as well or deletes.
// kFailedPrecondition: an increment of what is no INT64.
[[nodiscard]] Status FoldEntry(engine::MutationEntry entry, engine::RowMutation* writes);

}  // namespace sippar::query
