// Serves one client over both protocols, on connections that it is given: the Cloud Bigtable API
// over gRPC, and cluster/net to other processes of this program. Each starts with its first
// connection. Thread safe. SPDX-License-Identifier: Apache-2.0
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
  // `client` outlives the gateway. The address in `options` is not used. `wire`: options of the
  // cluster/net server; the gateway sets its address and slow calls itself.
  Gateway(Client* client, const ApiServerOptions& options, WireServerOptions wire);
  ~Gateway() { Stop(0); }
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  // Starts the gRPC server now instead of at the first connection. kUnavailable: it does not start.
  [[nodiscard]] Status StartGrpc();
  // Serves the caller at the other end of `connection`, which speaks `protocol`: kGrpc or kWire.
  void Serve(Protocol protocol, std::unique_ptr<net::Socket> connection);
  // Number of calls over cluster/net so far, without streams of changes.
  uint64_t wire_calls();
  // Serves no new connections. Leaves the store to other processes (wire/departure.h). Waits up to
  // `drain_us` for running calls, then ends them.
  void Stop(int64_t drain_us);

 private:
  [[nodiscard]] Status BeginGrpc() REQUIRES(mutex_);

  Client* const client_;
  const ApiServerOptions options_;
  const std::shared_ptr<SlowCalls> slow_calls_;  // null: not reported
  WireServerOptions wire_options_;
  engine::Mutex mutex_;
  bool is_stopped_ GUARDED_BY(mutex_) = false;
  // Null: not started yet.
  std::unique_ptr<GrpcServer> grpc_ GUARDED_BY(mutex_);
  std::unique_ptr<WireServer> wire_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
