// Who belongs to the cluster: its identity, and the registration of a server's life. Used at the
// start of every process. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cluster/api/server_id.h"
#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// The lock service is that of cluster `id`; with `create` it becomes so when it has none. Else
// kFailedPrecondition, naming both: two clusters never share a lock service (FAULTS.md X14).
[[nodiscard]] Status JoinCluster(LockSession* session, const std::string& id, bool create);

struct Registration {
  ServerId id;
  std::string path;    // its lock file, whose lock `session` holds
  uint64_t fence = 0;  // of that lock
};

using PrepareLife = std::function<Status(const ServerId& id)>;

// A new life of server `name`: an epoch, and its locked file with `content` (how to reach it).
// `prepare` (may be empty) is called with its id before anybody else can see it, and must be OK.
// kAlreadyExists when another process lives under that name, with its lock held (L10); of two that
// start at the same moment the later epoch gives way, so at most one stays. After another error
// close the session: what is left is the file of a server that is dead.
[[nodiscard]] StatusOr<Registration> RegisterServer(LockSession* session, const std::string& name,
                                                    const std::string& content,
                                                    const PrepareLife& prepare = {});

}  // namespace sippar::cluster
