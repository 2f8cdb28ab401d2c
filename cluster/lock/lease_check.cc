// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/lease_check.h"

namespace sippar::cluster {

Status CheckLease(LockService* locks, int64_t lease_us, engine::Clock* clock) {
  auto session = locks->OpenSession({"lease check", lease_us, clock});
  RETURN_IF_ERROR(session.status());
  // An error of Close does no harm: the session then times out, and the service has granted the
  // lease.
  static_cast<void>((*session)->Close());
  return OkStatus();
}

}  // namespace sippar::cluster
