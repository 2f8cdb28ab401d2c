// What lies at a mount point before we mount on it: missing, no directory, a live mount of ours, a
// dead one that is taken away, or part of the store itself. Used by mount.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace sippar::fuse {

inline constexpr std::string_view kMountSubtype = "sippar";

struct MountEntry {
  std::string device;  // "0:57"; of one mount, wherever it was moved or bound to
  std::string mount_point;
  std::string type;    // "fuse.sippar"
  std::string source;  // the store's directory
};

// The lines of /proc/self/mountinfo, later mounts later. Lines of another form are passed over.
std::vector<MountEntry> ParseMountInfo(std::string_view text);

// The device of the mount on top at `path`; "" when there is none.
std::string DeviceAt(const std::string& path);
// Detaches what is mounted of `device` at other places than `path`. What may not be detached stays.
void DetachElsewhere(const std::string& device, const std::string& path);

// The absolute path to mount on. A dead mount of ours there (its process was killed) is detached
// first. `target` is the store's directory; neither may lie inside the other, or the store would
// wait for itself.
[[nodiscard]] StatusOr<std::string> PrepareMountPoint(const std::string& mount_point,
                                                      const std::string& target);

}  // namespace sippar::fuse
