// Serves the Cloud Bigtable API on connections that are accepted elsewhere. This header includes
// nothing of gRPC, so its users compile without it. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "cluster/client/client.h"
#include "cluster/net/socket.h"
#include "cluster/serve/api_server.h"

namespace sippar::cluster {

class ApiConnections {
 public:
  // `client` outlives the object. The address in `options` is ignored. kUnavailable: gRPC does not
  // start.
  [[nodiscard]] static StatusOr<std::unique_ptr<ApiConnections>> Start(
      Client* client, const ApiServerOptions& options);
  virtual ~ApiConnections() = default;
  // Takes over `connection`, from which nothing has been read, and serves the caller at its other
  // end. Returns at once.
  virtual void Serve(std::unique_ptr<net::Socket> connection) = 0;
  // Accepts no new calls, waits up to `drain_us` for the running ones, then ends them.
  virtual void Stop(int64_t drain_us) = 0;
};

}  // namespace sippar::cluster
