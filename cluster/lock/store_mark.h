// The lock service's file `store`, by which a member knows that it still belongs to the cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// OK if the content of the lock file `store` is `expected`, or `expected` is "" (one process is the
// whole cluster). A server or master calls it after it has got its lock and before it relies on the
// lock. `sippar admin collapse` changes the file first and then looks whether a lock is held. So of
// a collapse and a process that gets its lock at the same time, at least one notices the other.
// kAborted: the file says something else, or is gone; the process has to end.
[[nodiscard]] Status CheckStoreMark(LockSession* session, const std::string& expected);

}  // namespace sippar::cluster
