// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/api_connections.h"

#include <utility>

#include "cluster/serve/grpc_server.h"

namespace sippar::cluster {
namespace {

class GrpcConnections final : public ApiConnections {
 public:
  GrpcConnections(Client* client, const ApiServerOptions& options)
      : server_(client, options, SlowCallsOf(client, options)) {}

  Status Begin() { return server_.Start(); }
  void Serve(std::unique_ptr<net::Socket> connection) override {
    server_.AddConnection(connection->Release());
  }
  void Stop(int64_t drain_us) override { server_.Stop(drain_us); }

 private:
  GrpcServer server_;
};

}  // namespace

StatusOr<std::unique_ptr<ApiConnections>> ApiConnections::Start(Client* client,
                                                                const ApiServerOptions& options) {
  auto connections = std::make_unique<GrpcConnections>(client, options);
  RETURN_IF_ERROR(connections->Begin());
  return std::unique_ptr<ApiConnections>(std::move(connections));
}

}  // namespace sippar::cluster
