// Extended attributes user.sippar.*: the raw key and the coordinates of a file. Used by
// fuse/directories and fuse/kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// The attributes that need no read, as full names with the prefix "user.sippar.".
std::vector<std::string> XattrNames(const Node& node);
// The value of the attribute `name`; std::nullopt if there is none. Also answers attributes that
// XattrNames leaves out because they need a read: `versions` of a cell; `cells` and `newest` of a
// row. If those were listed, each `getfattr -d` or `cp -a` would cause these reads.
[[nodiscard]] StatusOr<std::optional<std::string>> ReadXattr(TreeContext* context, const Node& node,
                                                             std::string_view name,
                                                             const cluster::CallOptions& call);

}  // namespace sippar::fuse
