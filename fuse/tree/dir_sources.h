// The ordered sources of entries behind directories of unbounded size: rows of a table, columns of
// a family, versions of a column. Used by tree_view. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "fuse/tree/dir_stream.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// `directory` is a kTable; kFamily or kFamilyVersions; kColumnVersions. `cancel` is checked by the
// scans that the source starts; reset it and ask again to go on.
std::unique_ptr<EntrySource> NewRowSource(TreeContext* context, TablePtr table,
                                          const Node& directory, cluster::CancelFlag cancel);
std::unique_ptr<EntrySource> NewColumnSource(TreeContext* context, TablePtr table,
                                             const Node& directory, cluster::CancelFlag cancel);
std::unique_ptr<EntrySource> NewVersionSource(TreeContext* context, TablePtr table,
                                              const Node& directory, cluster::CancelFlag cancel);

// Families of a row with a visible cell, in order; `directory` is a kRow or kRowVersions.
[[nodiscard]] StatusOr<std::vector<std::string>> FamiliesOf(TreeContext* context,
                                                            const TablePtr& table,
                                                            const Node& directory,
                                                            const cluster::CallOptions& call);

}  // namespace sippar::fuse
