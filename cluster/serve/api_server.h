// Serves the store that a client reaches on one port, over the Cloud Bigtable API and over
// cluster/net, which other processes of this program use. This header includes nothing of gRPC, so
// its users compile without it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cluster/api/query_api.h"
#include "cluster/client/client.h"
#include "engine/base/status.h"

namespace sippar::cluster {

struct ApiServerOptions {
  std::string listen = "localhost:8086";  // HOST:PORT; port 0 means any free port
  // True: other machines may connect, without encryption; false: only loopback addresses serve.
  bool is_open_to_all = false;
  bool strict_instances = false;  // true: an instance exists only once it is created
  QueryApi* queries = nullptr;    // must outlive the server; null: SQL is not served
  // Gets a line for each call that took slow_call_us or more, at most ten lines a second. Null:
  // slow calls are not reported.
  std::function<void(const std::string& line)> on_slow_call = nullptr;
  int64_t slow_call_us = 10'000'000;
};

class ApiServer {
 public:
  // Starts a server; when OK, it accepts calls. `client` must outlive the server. kInvalidArgument:
  // the address is not HOST:PORT, or other machines could reach it, but is_open_to_all is not set;
  // kUnavailable: the server cannot listen on the address, or gRPC does not start.
  [[nodiscard]] static StatusOr<std::unique_ptr<ApiServer>> Start(Client* client,
                                                                  const ApiServerOptions& options);
  virtual ~ApiServer() = default;
  virtual const std::string& address() const = 0;  // host:port with the actual port
  // Accepts no new calls, leaves the store to other processes (wire/departure.h), waits up to
  // `drain_us` for the running calls, then ends them.
  virtual void Stop(int64_t drain_us) = 0;
};

}  // namespace sippar::cluster
