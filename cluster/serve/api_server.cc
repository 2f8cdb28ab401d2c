// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/api_server.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cluster/serve/gateway.h"
#include "cluster/serve/listen_address.h"
#include "cluster/serve/shared_port.h"

namespace sippar::cluster {
namespace {

// kInvalidArgument: other machines could reach the address.
Status CheckLoopback(const std::string& listen, const ListenAddress& address) {
  if (address.IsLoopback()) return OkStatus();
  return InvalidArgument(
      fmt::format("address '{}' can be reached from other machines, and connections are not "
                  "encrypted; listen on localhost:{} and forward it, e.g. ssh -L, or, in a process "
                  "of a cluster, give --insecure-network where only trusted machines reach it",
                  listen, address.port));
}

class ListeningApiServer final : public ApiServer {
 public:
  ListeningApiServer(Client* client, const ApiServerOptions& options)
      : gateway_(client, options, WireServerOptions()) {}
  ~ListeningApiServer() override { Stop(0); }

  Status Listen(const ApiServerOptions& asked) {
    ASSIGN_OR_RETURN(ListenAddress address, ListenAddress::Parse(asked.listen));
    if (!asked.is_open_to_all) RETURN_IF_ERROR(CheckLoopback(asked.listen, address));
    SharedPortOptions options;
    ASSIGN_OR_RETURN(options.sockets, ListenOn(address));
    address_ = fmt::format("{}:{}", address.host, options.sockets[0]->Local().port());
    RETURN_IF_ERROR(gateway_.StartGrpc());
    ASSIGN_OR_RETURN(
        port_, SharedPort::Start(std::move(options),
                                 [this](Protocol protocol, std::unique_ptr<net::Socket> caller) {
                                   gateway_.Serve(protocol, std::move(caller));
                                 }));
    return OkStatus();
  }
  const std::string& address() const override { return address_; }
  void Stop(int64_t drain_us) override {
    if (port_ != nullptr) port_->Stop();
    gateway_.Stop(drain_us);
  }

 private:
  Gateway gateway_;
  std::string address_;
  std::unique_ptr<SharedPort> port_;  // its thread uses gateway_
};

}  // namespace

StatusOr<std::unique_ptr<ApiServer>> ApiServer::Start(Client* client,
                                                      const ApiServerOptions& options) {
  auto server = std::make_unique<ListeningApiServer>(client, options);
  RETURN_IF_ERROR(server->Listen(options));
  return std::unique_ptr<ApiServer>(std::move(server));
}

}  // namespace sippar::cluster
