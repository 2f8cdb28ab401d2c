// `sippar cluster up`: starts the processes of a cluster that do not run, and waits until the whole
// cluster serves.
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

// Prints a line about each process to stderr, and the addresses to stdout. If it fails, the
// processes that it started keep running. kDeadlineExceeded: not all processes serve in time;
// kCancelled: Ctrl-C was pressed; kUnavailable: a process has ended, or its port is in use;
// kFailedPrecondition: ZooKeeper or Java is missing, `wishes` break the rules of SettingsFor, or
// the directory has another cluster. Other errors are those of ClusterHome::Open,
// ClusterProcesses::Start and MakeCluster.
[[nodiscard]] Status ClusterUp(const ClusterUpOptions& options);

}  // namespace sippar::cli
