// Addresses of members, as they registered them in the lock service. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include "cluster/lock/lock_service.h"
#include "cluster/wire/member_address.h"

namespace sippar::cluster {

class LockAddresses final : public MemberAddresses {
 public:
  // The session outlives the object; one that reconnects (lock/steady_session.h) is best.
  explicit LockAddresses(LockSession* session) : session_(session) {}

  StatusOr<MemberAddress> OfServer(const ServerId& server) override;
  // Any life of a master's process: masters have a lock and no life in the lock service.
  StatusOr<MemberAddress> OfMaster() override;

 private:
  LockSession* const session_;
};

}  // namespace sippar::cluster
