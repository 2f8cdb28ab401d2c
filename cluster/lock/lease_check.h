// The lease of a process of a cluster, checked before the process relies on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// Where nothing else is said: a server or master that is silent for so long is taken for dead.
inline constexpr int64_t kDefaultLeaseMicros = 6'000'000;

// Opens a session with this timeout and closes it. A candidate for master tries to open its session
// for as long as it runs, so a lease that the service never grants would show nowhere.
// kInvalidArgument: the service grants no session of this length; the message says which.
// kUnavailable: it does not answer. Otherwise as OpenSession.
[[nodiscard]] Status CheckLease(LockService* locks, int64_t lease_us, engine::Clock* clock);

}  // namespace sippar::cluster
