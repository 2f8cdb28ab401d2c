// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/member_port.h"

namespace sippar::cluster {
namespace {

std::string HostIn(const net::Address& address) {
  const std::string text = address.Text();
  return text.substr(0, text.rfind(':'));
}

// True if both ends have the same address. No other machine can make such a connection: packets to
// this machine's own address do not leave it.
bool IsOfThisMachine(const net::Socket& connection) {
  return HostIn(connection.Local()) == HostIn(connection.Remote());
}

}  // namespace

StatusOr<std::unique_ptr<MemberPort>> MemberPort::Start(const ListenAddress& address,
                                                        MemberPortOptions options,
                                                        net::Service* service,
                                                        net::LaneLoops* loops) {
  std::unique_ptr<MemberPort> port(new MemberPort);
  port->is_open_to_all_ = options.is_open_to_all || address.IsLoopback();
  const bool takes_tls = options.net.tls != nullptr;
  options.net.host = options.has_api ? "" : address.Numeric();
  options.net.port = address.port;
  ASSIGN_OR_RETURN(port->server_, net::Server::Start(std::move(options.net), service, loops));
  port->port_ = port->server_->port();
  if (options.has_api) RETURN_IF_ERROR(port->Share(address, takes_tls));
  return port;
}

Status MemberPort::Share(const ListenAddress& address, bool takes_tls) {
  SharedPortOptions options;
  options.takes_tls = takes_tls;
  ASSIGN_OR_RETURN(options.sockets, ListenOn(address));
  port_ = options.sockets[0]->Local().port();
  auto take = [this](Protocol protocol, std::unique_ptr<net::Socket> connection) {
    Take(protocol, std::move(connection));
  };
  ASSIGN_OR_RETURN(shared_, SharedPort::Start(std::move(options), take));
  return OkStatus();
}

// Passes the connection to the server of its protocol, or closes it: a caller of the API on another
// machine is not served unless the port is open to all, and none is while the API is not served.
void MemberPort::Take(Protocol protocol, std::unique_ptr<net::Socket> connection) {
  if (protocol != Protocol::kGrpc) return server_->Serve(std::move(connection));
  if (!is_open_to_all_ && !IsOfThisMachine(*connection)) return;
  engine::MutexLock lock(&mutex_);
  if (api_ != nullptr) api_->Serve(std::move(connection));
}

void MemberPort::BeginApi(std::unique_ptr<ApiConnections> api) {
  engine::MutexLock lock(&mutex_);
  api_ = std::move(api);
}

void MemberPort::EndApi(int64_t drain_us) {
  std::unique_ptr<ApiConnections> api;
  {
    engine::MutexLock lock(&mutex_);
    api.swap(api_);
  }
  if (api != nullptr) api->Stop(drain_us);
}

void MemberPort::Stop(int64_t drain_us) {
  if (shared_ != nullptr) shared_->Stop();
  EndApi(drain_us);
  if (server_ != nullptr) server_->Stop(drain_us);
}

}  // namespace sippar::cluster
