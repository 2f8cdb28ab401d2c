// Looks up the addresses that members registered in the lock service.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/lock/lock_service.h"
#include "cluster/wire/member_address.h"

namespace sippar::cluster {

class LockAddresses final : public MemberAddresses {
 public:
  // `session` outlives the object. It should be one that reconnects (lock/steady_session.h).
  explicit LockAddresses(LockSession* session) : session_(session) {}

  StatusOr<MemberAddress> OfServer(const ServerId& server) override;
  // The address has an empty `life`, so callers accept any run of the master's process: a master
  // holds the master lock and registers no name for each of its runs.
  StatusOr<MemberAddress> OfMaster() override;

 private:
  LockSession* const session_;
};

}  // namespace sippar::cluster
