// Serves a store at a mount point as a process of its own does it: checks, optional background
// process, signals, clean end. Used by cli/mount. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/node/open_client.h"
#include "fuse/kernel/mount.h"

namespace sippar::fuse {

struct ServeOptions {
  std::string target;          // directory of the store
  cluster::Patience patience;  // with which it is opened
  bool is_daemon = false;      // return when the mount answers, serve in a background process
  std::string log_path;        // of the background process; "" drops what it says
  MountOptions mount;          // mount_point as the user gave it
};

// In the foreground: returns when the mount has ended. As a daemon: in the caller's process, when
// the mount answers or has failed. Call before any thread exists.
[[nodiscard]] Status ServeMount(const ServeOptions& options);

}  // namespace sippar::fuse
