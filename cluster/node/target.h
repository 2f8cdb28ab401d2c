// What a target names, where the files of a cluster are, and which file system and lock service
// belong to them. The choice between kinds of storage and lock services is made only here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cluster/lock/embedded_lock_service.h"
#include "cluster/lock/zookeeper/zookeeper_lock_service.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// Exactly one of address, directory and cluster is set.
struct Target {
  std::string address;    // address of servers: unix:PATH, or host:port[,host:port...]
  std::string directory;  // path without a slash at its end
  std::string cluster;    // name of a cluster whose lock service is ZooKeeper
  std::string members;    // ZooKeeper's members, "host:port,host:port"
};
// kInvalidArgument: the text names nothing, or begins with zk:// and is not
// zk://HOST:PORT[,HOST:PORT...]/NAME. NAME has at most 100 letters, digits, '.', '_' and '-', does
// not begin with a dot, and is not 'zookeeper'.
[[nodiscard]] StatusOr<Target> ParseTarget(const std::string& target);

enum class StoreScheme : uint8_t { kPosix };

// Where the files of a cluster are. Its text is SCHEME:DIR; posix:DIR is a directory that all
// machines of the cluster mount at the same path.
struct StorePlace {
  std::string directory;  // absolute path without a slash at its end
  StoreScheme scheme = StoreScheme::kPosix;
  bool operator==(const StorePlace&) const = default;
};
// kInvalidArgument: the text has an unknown scheme, or no absolute path.
[[nodiscard]] StatusOr<StorePlace> ParseStorePlace(const std::string& text);
std::string PrintStorePlace(const StorePlace& place);

// Returns the file system with the files of a cluster.
std::unique_ptr<engine::FileSystem> FileSystemOf(const StorePlace& place);
// Returns the file system that contains `path`, a file or directory of this machine.
std::unique_ptr<engine::FileSystem> FileSystemOf(const std::string& path);

// Opens the lock service of the store at `directory` in `fs`, which is kept in the store's
// directory of locks. Errors are those of EmbeddedLockService::Open; `fs` and `clock` outlive the
// result.
[[nodiscard]] StatusOr<std::unique_ptr<EmbeddedLockService>> LockServiceOf(
    const std::string& directory, engine::FileSystem* fs, engine::Clock* clock);

// Opens the lock service of the cluster that `target` names. Hosts and cluster in `options` are
// replaced by those of `target`; the secret is the first line of the file `secret_file` ("": no
// secret). Errors are those of OpenZooKeeper and ReadZooKeeperSecret.
[[nodiscard]] StatusOr<std::unique_ptr<LockService>> LockServiceOf(const Target& target,
                                                                   const std::string& secret_file,
                                                                   ZooKeeperOptions options);

}  // namespace sippar::cluster
