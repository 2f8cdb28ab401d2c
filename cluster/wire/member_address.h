// The addresses of members of the cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cluster/api/server_id.h"
#include "engine/base/status.h"

namespace sippar::cluster {

struct MemberAddress {
  std::string host;  // a name, an address, or "unix:PATH"
  uint16_t port = 0;
  std::string life;  // name of one run of the member, such as "ts1.42"; empty: any run

  bool operator==(const MemberAddress&) const = default;
};

// Finds the addresses of members, which they registered in the lock service. Its calls may wait.
// Thread safe.
class MemberAddresses {
 public:
  virtual ~MemberAddresses() = default;
  // kUnavailable: this run of the server has ended, or the lock service does not answer.
  [[nodiscard]] virtual StatusOr<MemberAddress> OfServer(const ServerId& server) = 0;
  // The address of the process that holds the master lock. kUnavailable: no process holds it, its
  // holder has not recorded its address yet, or the lock service does not answer.
  [[nodiscard]] virtual StatusOr<MemberAddress> OfMaster() = 0;
};

}  // namespace sippar::cluster
