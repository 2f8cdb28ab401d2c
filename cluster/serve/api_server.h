// Serves a store over the Cloud Bigtable API and our own service (gRPC), in this process. The
// header knows nothing of gRPC; cluster/serve does. SPDX-License-Identifier: Apache-2.0
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
  std::string listen = "localhost:8086";  // HOST:PORT; 0: any free one
  bool strict_instances = false;          // only those that were made are there; else every one
  QueryApi* queries = nullptr;            // outlives the server; null: SQL is not served
  // Told of calls that took so long, with their trace ids, in a line each, ten a second at most.
  // Null: nobody is.
  std::function<void(const std::string& line)> on_slow_call = nullptr;
  int64_t slow_call_us = 10'000'000;
};

class ApiServer {
 public:
  // Answers when OK. `client` outlives the server. kInvalidArgument: an address that others than
  // this machine can reach, as nothing is encrypted yet; kUnavailable: it is taken.
  [[nodiscard]] static StatusOr<std::unique_ptr<ApiServer>> Start(Client* client,
                                                                  const ApiServerOptions& options);
  virtual ~ApiServer() = default;
  virtual const std::string& address() const = 0;  // host:port that is served
  // Takes no new calls, gives running ones `drain_us`, then ends them.
  virtual void Stop(int64_t drain_us) = 0;
};

}  // namespace sippar::cluster
