// The port of a member of a cluster. It serves cluster/net to members and clients. If the member is
// also a gateway, it serves the Cloud Bigtable API, too. That API has no encryption: unless the
// port is open to all, its callers have to be on this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "cluster/net/server.h"
#include "cluster/serve/api_connections.h"
#include "cluster/serve/listen_address.h"
#include "cluster/serve/shared_port.h"

namespace sippar::cluster {

struct MemberPortOptions {
  net::ServerOptions net;  // options for cluster/net; host and port are ignored
  bool has_api = false;
  bool is_open_to_all = false;  // other machines may use the API without encryption
};

// Thread safe, except for Stop.
class MemberPort {
 public:
  // Starts to serve. `service` and `loops` outlive the port. kUnavailable: the port cannot listen
  // on the address. kInvalidArgument: without has_api, the host is neither localhost nor numeric.
  [[nodiscard]] static StatusOr<std::unique_ptr<MemberPort>> Start(const ListenAddress& address,
                                                                   MemberPortOptions options,
                                                                   net::Service* service,
                                                                   net::LaneLoops* loops);
  ~MemberPort() { Stop(0); }
  MemberPort(const MemberPort&) = delete;
  MemberPort& operator=(const MemberPort&) = delete;

  uint16_t port() const { return port_; }
  void SetName(const std::string& name) { server_->SetName(name); }
  // Serves the API from now on. Before that, connections of API callers are closed. To be called at
  // most once.
  void BeginApi(std::unique_ptr<ApiConnections> api);
  // Refuses new calls of the API, waits up to `drain_us` for running ones, then ends them. The port
  // continues to serve cluster/net.
  void EndApi(int64_t drain_us);
  // Ends both protocols. Running calls have `drain_us` to end and are then cancelled.
  void Stop(int64_t drain_us);

 private:
  MemberPort() = default;
  Status Share(const ListenAddress& address, bool takes_tls);
  void Take(Protocol protocol, std::unique_ptr<net::Socket> connection);

  bool is_open_to_all_ = false;
  uint16_t port_ = 0;
  std::unique_ptr<net::Server> server_;
  engine::Mutex mutex_;
  std::unique_ptr<ApiConnections> api_ GUARDED_BY(mutex_);  // null: the API is not served now
  std::unique_ptr<SharedPort> shared_;  // null: the port serves cluster/net alone
};

}  // namespace sippar::cluster
