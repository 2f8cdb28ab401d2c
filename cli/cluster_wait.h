// `sippar admin wait`: asks a cluster again and again until all its tablets are served. A cluster
// that cannot be reached counts as not ready yet, not as an error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cluster/api/cluster_status.h"
#include "engine/base/status.h"

namespace sippar::cli {

struct ClusterWait {
  std::string target;
  std::optional<uint64_t> servers;  // exact number of live servers to wait for; empty: any
  int64_t timeout_us = 0;
};

// True if `status` may be temporary, so that the same call may succeed later.
bool MayPass(const Status& status);
// Returns a short text with the first reason why the cluster is not as `wait` demands; "" if the
// cluster is ready.
std::string WhyNotReady(const ClusterWait& wait, const cluster::ClusterHealth& health);

// Returns the exit code: kExitOk, kExitTimeout, kExitInterrupted after Ctrl-C, kExitFailed if a
// directory that was ready cannot be closed again, or kExitNoStore if waiting cannot help: the
// target cannot be parsed, is not a Sippar store, or is damaged. (A missing directory may still
// appear, so the call waits for it.) Prints the reason of a failure and, on a terminal, what it
// waits for.
int WaitForCluster(const ClusterWait& wait);

}  // namespace sippar::cli
