// Finds one row of a table for a lookup. Used by the directories that lead to rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuse/tree/attributes.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// The entry of `node`, a kRow. kNotFound: the table has no such row, or the selection of the node
// leaves it out. A row that was listed or found a moment ago is not read again.
[[nodiscard]] StatusOr<Entry> FindRow(TreeContext* context, const TablePtr& table, Node node,
                                      const cluster::CallOptions& call);

}  // namespace sippar::fuse
