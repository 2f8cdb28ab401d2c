// `sippar cluster up`: starts what of a cluster does not run, and waits until all of it serves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/cluster/plan.h"
#include "engine/base/status.h"

namespace sippar::cli {

struct ClusterUpOptions {
  std::string directory;
  ClusterWishes wishes;
  int64_t timeout_us = 60'000'000;
};

// Prints a line about each process on stderr, and the addresses on stdout. What was started runs
// on if it fails. kDeadlineExceeded: not all serves in time; kCancelled: Ctrl-C came;
// kUnavailable: a process has ended, or its port is in use; kFailedPrecondition: ZooKeeper or Java
// is missing, or the directory has another cluster; else as ClusterHome::Open and MakeCluster.
[[nodiscard]] Status ClusterUp(const ClusterUpOptions& options);

}  // namespace sippar::cli
