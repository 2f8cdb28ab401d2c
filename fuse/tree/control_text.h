// Renders the control files .stats, .tablets, .version, .status and .as-of/README, each when it is
// looked up, so that size and content agree. Used by tree_view. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// One line per locality group after a head line; columns are separated by tabs.
[[nodiscard]] StatusOr<std::string> RenderStats(TreeContext* context, const std::string& table);
// One line per tablet in key order after a head line. Keys are spelled like file names; an open end
// of a range is empty.
[[nodiscard]] StatusOr<std::string> RenderTablets(TreeContext* context, const std::string& table);
std::string RenderVersion();
std::string RenderAsOfReadme();

struct MountStatus {
  int64_t mounted_at_us = 0;
  uint64_t errors = 0;
  std::string last_error;  // "" when there was none
};
std::string RenderStatus(TreeContext* context, const MountStatus& status);

}  // namespace sippar::fuse
