// grpc.health.v1.Health: the server serves from its start to its stop, and says so of itself and of
// each of its services. A watcher holds no thread. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cluster/grpc/call_loop.h"
#include "cluster/proto/health.grpc.pb.h"

namespace sippar::cluster {

class HealthService final
    : public grpc::health::v1::Health::WithAsyncMethod_Watch<grpc::health::v1::Health::Service> {
 public:
  // Full names; the server itself is "".
  explicit HealthService(const std::vector<std::string>& services);

  grpc::Status Check(grpc::ServerContext* context,
                     const grpc::health::v1::HealthCheckRequest* request,
                     grpc::health::v1::HealthCheckResponse* response) override;

  // Takes a watcher that comes to this loop, and the ones after it.
  void Await(CallLoop* loop);
  // Tells the watchers that it does not serve any more, and lets them go.
  void Stop();

 private:
  struct Watcher;

  std::set<std::string> services_;
  engine::Mutex mutex_;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  std::vector<Watcher*> watchers_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
