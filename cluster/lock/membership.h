// Membership of the cluster: its id, the registration of a life (one run) of a tablet server, which
// a process uses at its start, and the lives that hold their locks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "cluster/api/server_id.h"
#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// Checks that the lock service belongs to cluster `id`. If the service has no cluster and `create`
// is true, assigns it to this cluster. kFailedPrecondition: the service has no cluster, or another
// one, which the message names. Two clusters never share a lock service (tests/FAULTS.md X14).
[[nodiscard]] Status JoinCluster(LockSession* session, const std::string& id, bool create);

struct Registration {
  ServerId id;
  std::string path;    // path of the life's lock file; RegisterServer's session holds its lock
  uint64_t fence = 0;  // fencing number of that lock
};

using PrepareLife = std::function<Status(const ServerId& id)>;

// Registers a new life of server `name`: takes an epoch and makes its locked file with `content`,
// which says how to reach the server. `prepare` (may be empty) is called with the id before another
// process can see the life; if it fails, so does the call. kAlreadyExists: another process is alive
// under this name and holds its lock (tests/FAULTS.md L10); of two that start at the same moment,
// the one that makes its file later gives way, so at most one remains. (None remains if that one
// has the earlier epoch and the other one sees it before it gives way.) After any other error,
// close the session: what may be left is the file of a dead server.
[[nodiscard]] StatusOr<Registration> RegisterServer(LockSession* session, const std::string& name,
                                                    const std::string& content,
                                                    const PrepareLife& prepare = {});

// Returns the lives that hold their locks. One of them that cannot be reached hangs or is cut off;
// or it has just died, and its session is not over yet. A life that is not among them has ended,
// whatever later life has its name.
[[nodiscard]] StatusOr<std::set<ServerId>> LivesWithLocks(LockSession* session);

}  // namespace sippar::cluster
