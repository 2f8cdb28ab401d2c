// The first steps in a shared directory. An empty directory becomes the cluster's directory; any
// other directory must already belong to the cluster of this lock service. The first master makes
// the root tablet and METADATA later.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/lock/lock_service.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// When OK, the directory has CLUSTER (a state file with the cluster's id), wal/ and sst/, and the
// lock service knows the id. May be repeated after a crash at any point. `entropy`: a number that
// no other cluster has. kFailedPrecondition: the directory and the lock service belong to different
// clusters, or the directory has format 1.
[[nodiscard]] Status PrepareCluster(engine::FileSystem* fs, const std::string& directory,
                                    LockSession* session, uint64_t entropy);

// Returns the content of a file CLUSTER with this id.
std::string ClusterIdFile(const std::string& id);
// Returns the id in CLUSTER. kNotFound: the directory has no such file.
[[nodiscard]] StatusOr<std::string> ReadClusterId(engine::FileSystem* fs,
                                                  const std::string& directory);
// OK: `directory` is that of the cluster at `target`. kFailedPrecondition: its CLUSTER is missing,
// so usually nothing is mounted there, or CLUSTER has another id than `id` ("": any id is
// accepted).
[[nodiscard]] Status CheckMounted(engine::FileSystem* fs, const std::string& directory,
                                  const std::string& target, const std::string& id);

}  // namespace sippar::cluster
