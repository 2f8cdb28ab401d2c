// The names of a table's directory that ask about its rows: .prefix, .range, .where, .first,
// .count, .export and .tree. They exist at any as_of time. The first four lead to directories of
// rows that have these names again, without .tree; below .first/<n> only .count and .export.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuse/tree/attributes.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// std::nullopt: the table's directory (a kTable) has no such name.
[[nodiscard]] StatusOr<std::optional<Entry>> LookupTableQuery(TreeContext* context,
                                                              const Node& table,
                                                              std::string_view name);

}  // namespace sippar::fuse
