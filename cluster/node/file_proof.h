// The first half of what a start proves of a directory: what can be seen without METADATA, before
// any log is recovered. Nothing here writes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/lock/embedded_lock_service.h"
#include "cluster/node/findings.h"
#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// kDataLoss: one of the directories of a store is missing.
[[nodiscard]] Status CheckDirectories(engine::FileSystem* fs, const std::string& directory);

// Lock files, and the logs of the lives before. kUnavailable: the disk does not answer.
[[nodiscard]] Status ProveFiles(engine::FileSystem* fs, const std::string& directory,
                                EmbeddedLockService* locks, Findings* findings);

}  // namespace sippar::cluster
