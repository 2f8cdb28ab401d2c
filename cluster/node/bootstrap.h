// The first steps in a shared directory: an empty one becomes a cluster's, any other must be this
// lock service's. The root tablet and METADATA are made by the first master.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/lock/lock_service.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// CLUSTER (a state file: the cluster's id), wal/ and sst/ are there when OK, and the lock service
// knows the id. Can be repeated after a crash at any point. `entropy`: any number nobody else has.
// kFailedPrecondition: the directory and the lock service are not of one cluster.
[[nodiscard]] Status PrepareCluster(engine::FileSystem* fs, const std::string& directory,
                                    LockSession* session, uint64_t entropy);

}  // namespace sippar::cluster
