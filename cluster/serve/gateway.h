// Serves one client over both protocols, on connections that were accepted elsewhere: the Cloud
// Bigtable API over gRPC, and cluster/net for other processes of this program. The server of each
// protocol starts with its first connection. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "cluster/api/slow_calls.h"
#include "cluster/client/client.h"
#include "cluster/serve/api_server.h"
#include "cluster/serve/grpc_server.h"
#include "cluster/serve/spoken_protocol.h"
#include "cluster/serve/wire_server.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

class Gateway {
 public:
  // `client` outlives the gateway. The address in `options` is ignored. `wire`: options of the
  // cluster/net server; the gateway itself sets the address and slow_calls in them.
  Gateway(Client* client, const ApiServerOptions& options, WireServerOptions wire);
  ~Gateway() { Stop(0); }
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  // Starts the gRPC server now instead of at the first connection. kUnavailable: it does not start.
  [[nodiscard]] Status StartGrpc();
  // Serves the caller at the other end of `connection`, which speaks `protocol`: kGrpc or kWire.
  void Serve(Protocol protocol, std::unique_ptr<net::Socket> connection);
  // Number of calls over cluster/net so far; streams of changes are not counted.
  uint64_t wire_calls();
  // Accepts no new connections, leaves the store to other processes (wire/departure.h), waits up to
  // `drain_us` for running calls, then ends them.
  void Stop(int64_t drain_us);

 private:
  [[nodiscard]] Status BeginGrpc() REQUIRES(mutex_);

  Client* const client_;
  const ApiServerOptions options_;
  const std::shared_ptr<SlowCalls> slow_calls_;  // null: slow calls are not reported
  WireServerOptions wire_options_;
  engine::Mutex mutex_;
  bool is_stopped_ GUARDED_BY(mutex_) = false;
  // The servers of the two protocols. Null: the server was not started yet.
  std::unique_ptr<GrpcServer> grpc_ GUARDED_BY(mutex_);
  std::unique_ptr<WireServer> wire_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
