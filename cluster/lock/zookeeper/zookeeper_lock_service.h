// The lock service kept by ZooKeeper: for clusters of many machines. README.md in cluster/ says
// what ZooKeeper and Debian's client do not protect; node_paths.h says where everything is in
// ZooKeeper's tree.
//
// A heartbeat is a committed write of the session's own node: pings, reads and sync may be answered
// by a member that is cut off from the others, for as long as it does not notice. Epochs, session
// ids and fencing numbers are those of one counter below 2^32; a number is taken in the transaction
// that uses it, so fences rise in the order of the acquisitions. Consistent reads follow a
// transaction.
//
// Within the time that lock_service.h gives them, calls wait for a connection, and repeat reads,
// heartbeats and changes of the counter alone; any change of a file without an answer is
// kUnavailable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/lock/lock_service.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// What a session does when the cluster has no tree.
enum class MissingCluster : uint8_t { kMake, kRefuse };

struct ZooKeeperOptions {
  std::string hosts;    // "host:port,host:port": members; more than one, so that one may fail
  std::string cluster;  // name of the top-level node that holds all nodes of the cluster
  std::string secret;   // secret of the digest credentials that own all nodes; empty: open to all
  // tickTime of the members. 0: half of the shortest session timeout that the members allow is used
  // instead, which is at least a tick.
  int64_t tick_us = 0;
  MissingCluster missing = MissingCluster::kMake;  // kRefuse: OpenSession returns kNotFound
  // How long the first session waits for a member to answer; at most its timeout. 0: its timeout.
  int64_t connect_us = 0;
  // Called repeatedly during that wait, by the waiting thread. `what` is text that says what the
  // thread waits for. False ends the wait, and OpenSession returns kCancelled.
  std::function<bool(const std::string& what)> may_wait = nullptr;
};

// Does not connect. kUnimplemented: this program was built without ZooKeeper's C client.
//
// OpenSession connects, and makes a missing tree (see `missing`). It answers within
// SessionOptions::timeout_us. kInvalidArgument: the timeout is 0, the members grant less (their
// maxSessionTimeout), it is less than four ticks, or the hosts cannot be resolved. kUnavailable: no
// member answers. kPermissionDenied: the tree belongs to another secret. kDataLoss: the counter is
// damaged, or, with kMake, missing although the tree has other nodes. kNotFound and kCancelled: see
// ZooKeeperOptions.
[[nodiscard]] StatusOr<std::unique_ptr<LockService>> OpenZooKeeper(const ZooKeeperOptions& options);

// The secret in the file `path`: its first line.
[[nodiscard]] StatusOr<std::string> ReadZooKeeperSecret(engine::FileSystem* fs,
                                                        const std::string& path);

}  // namespace sippar::cluster
