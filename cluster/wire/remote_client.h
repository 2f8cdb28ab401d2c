// A client of a Sippar server in another process: it has one connection and makes each call once,
// without retries. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"

namespace sippar::cluster {

class RemoteClient : public Client {
 public:
  // Connects to `address`, host:port or unix:PATH. When OK, a server has answered and speaks the
  // same version of our service. kUnavailable: no server answers; kFailedPrecondition: it speaks
  // another version. `target` names the server in error messages.
  [[nodiscard]] static StatusOr<std::unique_ptr<RemoteClient>> Connect(const std::string& address,
                                                                       const std::string& target,
                                                                       engine::Clock* clock);
  // True after a call found the connection broken: this client can then do nothing more.
  virtual bool is_lost() const = 0;
  // Asks the server for a sign of life. kUnavailable: the connection is lost.
  [[nodiscard]] virtual Status Probe() = 0;
};

}  // namespace sippar::cluster
