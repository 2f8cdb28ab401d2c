// Reads many lock files with few waits for a member.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/lock/zookeeper/file_view.h"
#include "cluster/lock/zookeeper/node_paths.h"
#include "cluster/lock/zookeeper/zookeeper_handle.h"

namespace sippar::cluster::zookeeper {

// Returns a view of each of `files`, in their order; each path passes lock_paths::CheckPath. The
// views are as new as the last answer that the session got before the call, and no snapshot. At
// most 200 requests wait for an answer at a time, so that a heartbeat of the same session does not
// wait behind thousands of reads. Errors: those of ZooKeeperHandle::WaitConnected; kUnavailable if
// the deadline comes first; kDataLoss as in ViewOf.
[[nodiscard]] StatusOr<std::vector<FileView>> ViewFiles(ZooKeeperHandle* handle,
                                                        const NodePaths& paths,
                                                        const std::vector<std::string>& files,
                                                        int64_t deadline_nanos);

}  // namespace sippar::cluster::zookeeper
