// Serves a store at a mount point, in this process or in a background process: checks, signals,
// orderly shutdown. Used by cli/mount.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/node/open_client.h"
#include "fuse/kernel/mount.h"

namespace sippar::fuse {

struct ServeOptions {
  std::string target;          // directory of the store, host:port, or zk://… of a cluster
  cluster::Patience patience;  // how long to wait for the store when another process has it open
  // True: ServeMount returns when the mount answers, and a background process serves the mount.
  bool is_daemon = false;
  std::string log_path;  // log of the background process; "": its output is dropped
  // Its mount_point is the path that the user gave, not checked or resolved yet.
  MountOptions mount;
};

// In the foreground, returns when the mount has ended. As a daemon, returns in the caller's process
// when the mount answers or has failed. Call before any thread exists: only then do all threads
// inherit the blocked signals, and only then is fork safe.
[[nodiscard]] Status ServeMount(const ServeOptions& options);

}  // namespace sippar::fuse
