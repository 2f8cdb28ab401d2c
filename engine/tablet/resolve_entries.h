// Turns the entries of a mutation that depend on the row's cells (increments, appends, additions to
// aggregates) into puts, and gives a time to entries without one, so that replaying the log needs
// no reads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/mutation.h"
#include "engine/model/schema.h"
#include "engine/tablet/tablet_reader.h"

namespace sippar::engine {

// `now_us` is the time for entries whose time the server gives. Requires: the row's lock is held
// exclusively (kAlone) if the mutation reads its row (RowMutation::ReadsRow).
[[nodiscard]] Status ResolveEntries(const TableSchema& schema, int64_t now_us, TabletReader* reader,
                                    RowMutation* mutation);

}  // namespace sippar::engine
