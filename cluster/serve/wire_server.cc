// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/wire_server.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/net/server.h"
#include "cluster/serve/listen_address.h"
#include "cluster/wire/member_service.h"

namespace sippar::cluster {
namespace {

constexpr std::string_view kUnix = "unix:";

StatusOr<net::ServerOptions> OptionsOf(const WireServerOptions& options) {
  net::ServerOptions net;
  net.hello.role = "gateway";
  net.hello.name = options.name;
  net.hello.cluster = options.cluster;
  net.tls = options.tls;
  net.host = options.listen;
  if (options.listen.starts_with(kUnix)) return net;
  ASSIGN_OR_RETURN(ListenAddress address, ListenAddress::Parse(options.listen));
  if (options.tls == nullptr && !address.IsLoopback()) {
    return InvalidArgument(
        fmt::format("address '{}' can be reached from other machines; give a certificate and its "
                    "key, or listen on localhost:{}",
                    options.listen, address.port));
  }
  net.host = address.Numeric();
  net.port = address.port;
  return net;
}

class ListeningWireServer final : public WireServer {
 public:
  explicit ListeningWireServer(const std::string& name) : service_(name) {}
  ~ListeningWireServer() override { Stop(0); }

  // A client's objects are its own, so the ports only point to them.
  Status Listen(Client* client, const WireServerOptions& options) {
    ASSIGN_OR_RETURN(net::ServerOptions net, OptionsOf(options));
    const std::shared_ptr<void> unowned;
    service_.Begin({.data = std::shared_ptr<DataApi>(unowned, client->data()),
                    .admin = std::shared_ptr<AdminApi>(unowned, client->admin())});
    ASSIGN_OR_RETURN(server_, net::Server::Start(std::move(net), &service_, &loops_));
    address_ = options.listen;
    if (!address_.starts_with(kUnix)) {
      address_ = fmt::format("{}:{}", address_.substr(0, address_.rfind(':')), server_->port());
    }
    return OkStatus();
  }

  const std::string& address() const override { return address_; }
  void Stop(int64_t drain_us) override {
    if (server_ != nullptr) server_->Stop(drain_us);
  }

 private:
  net::LaneLoops loops_{"wire"};
  MemberService service_;
  std::unique_ptr<net::Server> server_;
  std::string address_;
};

}  // namespace

StatusOr<std::unique_ptr<WireServer>> WireServer::Start(Client* client,
                                                        const WireServerOptions& options) {
  auto server = std::make_unique<ListeningWireServer>(options.name);
  RETURN_IF_ERROR(server->Listen(client, options));
  return std::unique_ptr<WireServer>(std::move(server));
}

}  // namespace sippar::cluster
