// What row.cc offers to column.cc: .versions lies below a row and below a family.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuse/tree/attributes.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

inline constexpr std::string_view kVersionsName = ".versions";

// The entry of a family: a kFamily or a kFamilyVersions (`kind`) below `directory`. kNotFound: the
// table has no such family. Does not read the row.
[[nodiscard]] StatusOr<Entry> LookupFamily(TreeContext* context, const Node& directory,
                                           std::string_view name, NodeKind kind);

}  // namespace sippar::fuse
