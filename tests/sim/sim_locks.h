// The lock service on its own machine: sessions of other machines call it over the simulated
// network. The service itself is the embedded one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cluster/lock/embedded_lock_service.h"
#include "cluster/lock/lock_service.h"
#include "tests/sim/sim_world.h"

namespace sippar::sim {

// One life of the lock service's process, which its machine serves.
struct LockProcess {
  std::unique_ptr<cluster::EmbeddedLockService> service;
  std::map<uint64_t, std::shared_ptr<cluster::LockSession>> sessions;
};

// The service as a process on another machine reaches it. If the service has forgotten a session
// without timeout, which cannot hold locks, the session is opened again.
class SimLockService final : public cluster::LockService {
 public:
  SimLockService(World* world, MachineId machine) : world_(world), machine_(machine) {}
  StatusOr<std::unique_ptr<cluster::LockSession>> OpenSession(
      const cluster::SessionOptions& options) override;

 private:
  World* const world_;
  const MachineId machine_;
};

}  // namespace sippar::sim
