// Serves the store that a client reaches to other processes of the same program, over cluster/net.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cluster/api/slow_calls.h"
#include "cluster/client/client.h"
#include "cluster/net/server.h"
#include "cluster/net/tls.h"
#include "cluster/wire/member_service.h"
#include "engine/base/status.h"

namespace sippar::cluster {

struct WireServerOptions {
  // HOST:PORT; port 0 means any free port. If empty, the server does not listen and serves only
  // connections that were accepted elsewhere.
  std::string listen = "localhost:0";
  std::string name = "sippar";        // name of this process, for its callers' error messages
  std::string cluster;                // id of the cluster; empty: callers of any cluster are served
  std::shared_ptr<net::TlsKeys> tls;  // null: no TLS, for this machine only unless is_open_to_all
  bool is_open_to_all = false;        // other machines may connect without TLS
  net::Keepalive keepalive;
  int64_t goodbye_us = 1'500'000;         // time for callers to read that the server stops
  std::shared_ptr<SlowCalls> slow_calls;  // null: slow calls are not reported
};

class WireServer {
 public:
  // Starts a server; when OK, it accepts calls. `client` outlives it. kInvalidArgument: the address
  // is not HOST:PORT with a numeric host or localhost, or other machines could reach it, and there
  // are no certificates; kUnavailable: the server cannot listen on the address.
  [[nodiscard]] static StatusOr<std::unique_ptr<WireServer>> Start(
      Client* client, const WireServerOptions& options);
  ~WireServer() { Stop(0); }
  WireServer(const WireServer&) = delete;
  WireServer& operator=(const WireServer&) = delete;

  const std::string& address() const { return address_; }  // host:port with the actual port
  // Serves the peer of a connection that was accepted elsewhere.
  void Serve(std::unique_ptr<net::Socket> accepted) { server_->Serve(std::move(accepted)); }
  // Number of calls so far; streams of changes are not counted.
  uint64_t calls_begun() const { return service_.calls_begun(); }
  // Leaves the store to other processes (wire/departure.h), waits up to `drain_us` for the running
  // calls, then ends them.
  void Stop(int64_t drain_us);

 private:
  explicit WireServer(const WireServerOptions& options)
      : service_(options.name, options.slow_calls) {}

  net::LaneLoops loops_{"wire"};
  MemberService service_;
  std::unique_ptr<net::Server> server_;
  std::string address_;
};

}  // namespace sippar::cluster
