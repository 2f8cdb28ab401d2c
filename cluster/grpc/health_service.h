// Implements grpc.health.v1.Health: reports the server and each of its services as SERVING from the
// start to the stop of the server. Watch calls occupy no thread while they wait. Thread safe.
// SPDX-License-Identifier: Apache-2.0
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
  // `services`: full names. The name "" stands for the server itself.
  explicit HealthService(const std::vector<std::string>& services);

  grpc::Status Check(grpc::ServerContext* context,
                     const grpc::health::v1::HealthCheckRequest* request,
                     grpc::health::v1::HealthCheckResponse* response) override;

  // Accepts Watch calls on this loop: the next one, and each one after it.
  void Await(CallLoop* loop);
  // Sends NOT_SERVING to all watchers and ends their calls.
  void Stop();

 private:
  struct Watcher;

  std::set<std::string> services_;
  engine::Mutex mutex_;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  std::vector<Watcher*> watchers_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
