// The lease of a process of a cluster, checked before the process relies on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// The default lease. If a server or master sends no heartbeat for this time, the cluster considers
// it dead.
inline constexpr int64_t kDefaultLeaseMicros = 6'000'000;

// Opens a session with this timeout and closes it, to report a lease that the service never grants.
// A candidate for master would not report it: it tries to open its session for as long as it runs.
// kInvalidArgument: the service grants no session of this length; the message says what would be
// granted. kUnavailable: the service does not answer. Otherwise as OpenSession.
[[nodiscard]] Status CheckLease(LockService* locks, int64_t lease_us, engine::Clock* clock);

}  // namespace sippar::cluster
