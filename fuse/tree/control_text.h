// Renders the control files .stats, .tablets, .version, .status and .as-of/README. Each is rendered
// when it is looked up, so that its size and its content agree. Used by fuse/directories.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// One line per locality group after a header line; tabs separate the columns.
[[nodiscard]] StatusOr<std::string> RenderStats(TreeContext* context, const std::string& table);
// One line per tablet in key order after a header line. Keys are encoded like file names; an open
// end of a range is empty.
[[nodiscard]] StatusOr<std::string> RenderTablets(TreeContext* context, const std::string& table);
std::string RenderVersion();
std::string RenderAsOfReadme();

std::string RenderStatus(TreeContext* context);

}  // namespace sippar::fuse
