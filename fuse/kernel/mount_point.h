// Checks a mount point before mounting: it may be missing, not a directory, a live or a dead mount
// of sippar, or inside the store. A dead mount is detached. Used by mount.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace sippar::fuse {

inline constexpr std::string_view kMountSubtype = "sippar";

struct MountEntry {
  std::string device;  // "0:57"; one per mount, wherever it is moved or bound to
  std::string mount_point;
  std::string type;    // "fuse.sippar"
  std::string source;  // the store's directory
};

// Parses /proc/self/mountinfo, in its order: a later mount on a place covers an earlier one. Lines
// of another form are skipped.
std::vector<MountEntry> ParseMountInfo(std::string_view text);

// Device of the topmost mount at `path`; "" if none.
std::string DeviceAt(const std::string& path);
// Detaches the mounts of `device` at places other than `path`. Those that this process may not
// detach stay.
void DetachElsewhere(const std::string& device, const std::string& path);

// Returns the absolute path to mount on. If a dead mount of sippar is there (its process was
// killed), detaches it first. `target` is the store's directory. Neither the mount point nor the
// store may lie inside the other: file accesses of the store would then go through the mount and
// wait for the store itself.
[[nodiscard]] StatusOr<std::string> PrepareMountPoint(const std::string& mount_point,
                                                      const std::string& target);

}  // namespace sippar::fuse
