// Ordered sources of entries for directories of any size: rows of a table, columns of a family,
// versions of a column. Used by fuse/directories and by selected_rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "fuse/tree/dir_stream.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// `directory` is a kTable for the rows in `range`, a kFamily or kFamilyVersions for columns, or a
// kColumnVersions for versions. The scans that a source starts check `cancel`. After a cancelled
// call, the caller may reset the flag and call again to continue.
std::unique_ptr<EntrySource> NewRowSource(TreeContext* context, TablePtr table,
                                          const Node& directory, engine::RowRange range,
                                          cluster::CancelFlag cancel);
std::unique_ptr<EntrySource> NewColumnSource(TreeContext* context, TablePtr table,
                                             const Node& directory, cluster::CancelFlag cancel);
std::unique_ptr<EntrySource> NewVersionSource(TreeContext* context, TablePtr table,
                                              const Node& directory, cluster::CancelFlag cancel);

// The families in which a row has a visible cell, in order. `directory` is a kRow or kRowVersions.
[[nodiscard]] StatusOr<std::vector<std::string>> FamiliesOf(TreeContext* context,
                                                            const TablePtr& table,
                                                            const Node& directory,
                                                            const cluster::CallOptions& call);

}  // namespace sippar::fuse
