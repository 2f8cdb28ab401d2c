// Serves a store in this process to other processes of the same program, over cluster/net. Thread
// safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cluster/client/client.h"
#include "cluster/net/tls.h"
#include "engine/base/status.h"

namespace sippar::cluster {

struct WireServerOptions {
  std::string listen = "localhost:0";  // HOST:PORT, port 0: any free one; or unix:PATH
  std::string name = "sippar";         // of this member, for its callers' errors
  std::string cluster;                 // its id; empty: callers of any cluster are served
  std::shared_ptr<net::TlsKeys> tls;   // null: plain, for this machine only
};

class WireServer {
 public:
  // Starts a server, which accepts calls when OK. `client` outlives it. kInvalidArgument: other
  // machines could reach the address, and there are no certificates; kUnavailable: the address is
  // in use.
  [[nodiscard]] static StatusOr<std::unique_ptr<WireServer>> Start(
      Client* client, const WireServerOptions& options);
  virtual ~WireServer() = default;
  virtual const std::string& address() const = 0;  // with the actual port
  // Accepts no new calls, waits up to `drain_us` for the running ones, then ends them.
  virtual void Stop(int64_t drain_us) = 0;
};

}  // namespace sippar::cluster
