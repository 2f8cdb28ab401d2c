// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/api_server.h"

#include <fmt/format.h>

#include "cluster/serve/grpc_server.h"
#include "cluster/serve/listen_address.h"

namespace sippar::cluster {
namespace {

// Accepts the address only if no other machine can reach it.
Status CheckLoopback(const std::string& listen) {
  ASSIGN_OR_RETURN(ListenAddress address, ListenAddress::Parse(listen));
  if (address.IsLoopback()) return OkStatus();
  return InvalidArgument(
      fmt::format("address '{}' can be reached from other machines, and connections are not "
                  "encrypted; listen on localhost:{} and forward it, e.g. ssh -L",
                  listen, listen.substr(listen.rfind(':') + 1)));
}

class GrpcApiServer final : public ApiServer {
 public:
  GrpcApiServer(Client* client, const ApiServerOptions& options) : server_(client, options) {}

  Status Listen(const std::string& listen) {
    RETURN_IF_ERROR(CheckLoopback(listen));
    RETURN_IF_ERROR(server_.Start(listen));
    address_ = listen.substr(0, listen.rfind(':') + 1) + std::to_string(server_.port());
    return OkStatus();
  }
  const std::string& address() const override { return address_; }
  void Stop(int64_t drain_us) override { server_.Stop(drain_us); }

 private:
  GrpcServer server_;
  std::string address_;
};

}  // namespace

StatusOr<std::unique_ptr<ApiServer>> ApiServer::Start(Client* client,
                                                      const ApiServerOptions& options) {
  auto server = std::make_unique<GrpcApiServer>(client, options);
  RETURN_IF_ERROR(server->Listen(options.listen));
  return std::unique_ptr<ApiServer>(std::move(server));
}

}  // namespace sippar::cluster
