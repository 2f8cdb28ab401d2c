// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/wire_server.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/serve/listen_address.h"

namespace sippar::cluster {
namespace {

StatusOr<net::ServerOptions> OptionsOf(const WireServerOptions& options) {
  net::ServerOptions net;
  net.hello.role = "gateway";
  net.hello.name = options.name;
  net.hello.cluster = options.cluster;
  net.tls = options.tls;
  net.keepalive = options.keepalive;
  net.goodbye_us = options.goodbye_us;
  net.host = "";
  if (options.listen.empty()) return net;
  ASSIGN_OR_RETURN(ListenAddress address, ListenAddress::Parse(options.listen));
  if (options.tls == nullptr && !options.is_open_to_all && !address.IsLoopback()) {
    return InvalidArgument(
        fmt::format("address '{}' can be reached from other machines; give a certificate and "
                    "its key (--tls-cert, --tls-key), or listen on localhost:{}",
                    options.listen, address.port));
  }
  net.host = address.Numeric();
  net.port = address.port;
  return net;
}

}  // namespace

// The shared pointers passed to service_.Begin own nothing: both interfaces belong to `client`,
// which outlives the server.
StatusOr<std::unique_ptr<WireServer>> WireServer::Start(Client* client,
                                                        const WireServerOptions& options) {
  ASSIGN_OR_RETURN(net::ServerOptions net, OptionsOf(options));
  std::unique_ptr<WireServer> made(new WireServer(options));
  const std::shared_ptr<void> unowned;
  made->service_.Begin({.data = std::shared_ptr<DataApi>(unowned, client->data()),
                        .admin = std::shared_ptr<AdminApi>(unowned, client->admin())});
  ASSIGN_OR_RETURN(made->server_,
                   net::Server::Start(std::move(net), &made->service_, &made->loops_));
  made->address_ = options.listen;
  if (!options.listen.empty()) {
    made->address_ = fmt::format("{}:{}", options.listen.substr(0, options.listen.rfind(':')),
                                 made->server_->port());
  }
  return made;
}

void WireServer::Stop(int64_t drain_us) {
  if (server_ == nullptr) return;
  service_.Leave();
  server_->Stop(drain_us);
}

}  // namespace sippar::cluster
