// Serves a store at a mount point in a process of its own: checks, optional background process,
// signals, orderly shutdown. Used by cli/mount. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/node/open_client.h"
#include "fuse/kernel/mount.h"

namespace sippar::fuse {

struct ServeOptions {
  std::string target;          // directory of the store
  cluster::Patience patience;  // how long to wait for the store when another process has it open
  bool is_daemon = false;      // return when the mount answers; a background process serves
  std::string log_path;        // log of the background process; "": its output is dropped
  MountOptions mount;          // mount_point is as the user gave it
};

// In the foreground, returns when the mount has ended. As a daemon, returns in the caller's process
// when the mount answers or has failed. Call before any thread exists: only then do all threads
// inherit the blocked signals, and only then is fork safe.
[[nodiscard]] Status ServeMount(const ServeOptions& options);

}  // namespace sippar::fuse
