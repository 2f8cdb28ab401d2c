// Extended attributes: the raw key and place of a file as user.sippar.*. Used by tree_view.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// Names that cost no read, each with "user.sippar." in front.
std::vector<std::string> XattrNames(const Node& node);
// Nothing: no such attribute. Also those that are not listed because they read: versions of a
// cell; cells and newest of a row.
[[nodiscard]] StatusOr<std::optional<std::string>> ReadXattr(TreeContext* context, const Node& node,
                                                             std::string_view name,
                                                             const cluster::CallOptions& call);

}  // namespace sippar::fuse
