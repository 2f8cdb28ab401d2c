// `sippar admin wait`: asks a cluster again and again until all of it is served. A cluster that
// cannot be reached yet is only not ready. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cluster/api/cluster_status.h"
#include "engine/base/status.h"

namespace sippar::cli {

struct ClusterWait {
  std::string target;
  std::optional<uint64_t> servers;  // that are live, no more and no fewer; none: any number
  int64_t timeout_us = 0;
};

// Whether asking a cluster again may succeed where this answer came.
bool MayPass(const Status& status);
// What is not as `wait` wants it, in a few words; "" if nothing is.
std::string WhyNotReady(const ClusterWait& wait, const cluster::ClusterHealth& health);

// Returns the exit code: kExitOk, kExitTimeout, kExitInterrupted after Ctrl-C, or kExitNoStore if
// waiting cannot help: the target names nothing, or what it names is no store or is damaged. Prints
// why, and, on a terminal, what it waits for.
int WaitForCluster(const ClusterWait& wait);

}  // namespace sippar::cli
