// The first half of the checks of a store's directory that a process makes when it starts: those
// that do not need METADATA. It makes them before it recovers any log. Nothing here writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/lock/embedded_lock_service.h"
#include "cluster/node/findings.h"
#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// kDataLoss: a directory that every store has, or CLUSTER, is missing.
[[nodiscard]] Status CheckDirectories(engine::FileSystem* fs, const std::string& directory);

// Checks the lock files, the logs of the server's earlier starts, the root tablet's SSTables and
// the backups' manifests. kUnavailable: the disk does not answer.
[[nodiscard]] Status ProveFiles(engine::FileSystem* fs, const std::string& directory,
                                EmbeddedLockService* locks, Findings* findings);

}  // namespace sippar::cluster
