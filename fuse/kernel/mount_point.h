// Checks a mount point before mounting: rejects a missing directory, a file, a live mount of
// sippar, and a directory inside the store or above it. Detaches a dead mount of sippar, and at the
// end of a mount its other places. Ends the connection of a mount. Used by mount and serve_mount.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace sippar::fuse {

inline constexpr std::string_view kMountSubtype = "sippar";

struct MountEntry {
  std::string device;  // "0:57"; the same for all places to which one mount is moved or bound
  std::string mount_point;
  std::string type;    // "fuse.sippar"
  std::string source;  // of a mount of sippar: its target (ServeOptions)
};

// Parses /proc/self/mountinfo. The order is kept: a later mount at the same place covers an earlier
// one. Lines in another format are skipped.
std::vector<MountEntry> ParseMountInfo(std::string_view text);

// The device of the topmost mount at `path`; "" if there is none.
std::string DeviceAt(const std::string& path);
// Detaches the mounts of `device` at places other than `path`. Leaves mounts that this process is
// not allowed to detach.
void DetachElsewhere(const std::string& device, const std::string& path);
// Ends the connection of the mount of `device`: all requests that wait for an answer fail, and so
// do later ones. Detaches the mount everywhere; mounts that this process is not allowed to detach
// stay as dead mounts, which the unmount helper or PrepareMountPoint detaches.
void AbortMount(const std::string& device);

// Returns the absolute path to mount on. If a dead mount of sippar is there (its process was
// killed), detaches it first. `target` is the store's directory or another target, which is not
// checked. Neither the mount point nor the store may lie inside the other: file accesses of the
// store would then go through the mount and wait for the store itself.
[[nodiscard]] StatusOr<std::string> PrepareMountPoint(const std::string& mount_point,
                                                      const std::string& target);

}  // namespace sippar::fuse
