// What a target names, and which file system and lock service that means: the one place to change
// for another storage or another lock service. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/lock/embedded_lock_service.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// One of the two is "".
struct Target {
  std::string address;    // of a server, as gRPC takes it
  std::string directory;  // without a slash at its end
};
[[nodiscard]] StatusOr<Target> ParseTarget(const std::string& target);

// In which `path` lies, of a store or not: this machine's, whatever the path.
std::unique_ptr<engine::FileSystem> FileSystemOf(const std::string& path);

// Of the store at `directory` of `fs`: the one in its directory of locks. Errors as
// EmbeddedLockService::Open; `fs` and `clock` outlive it.
[[nodiscard]] StatusOr<std::unique_ptr<EmbeddedLockService>> LockServiceOf(
    const std::string& directory, engine::FileSystem* fs, engine::Clock* clock);

}  // namespace sippar::cluster
