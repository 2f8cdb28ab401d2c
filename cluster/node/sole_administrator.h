// A session that only one administrator's program has at a time on a cluster, for changes that two
// programs must not make at the same time. It ends with the program, as all sessions do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// If an earlier administrator's program was killed, waits until its session has timed out.
// kFailedPrecondition: another administrator's program runs.
[[nodiscard]] StatusOr<std::unique_ptr<LockSession>> BeSoleAdministrator(LockService* locks,
                                                                         const std::string& target,
                                                                         int64_t session_us,
                                                                         engine::Clock* clock);

}  // namespace sippar::cluster
