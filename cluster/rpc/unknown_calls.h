// Refuses calls that no service of a server has: the name tells a client's author what is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_builder.h>

#include <memory>

#include "engine/base/thread.h"

namespace sippar::cluster {

class UnknownCalls {
 public:
  // In this order: Register before the server is made, Start when it runs, Stop when it has no call
  // any more and before it goes.
  void Register(grpc::ServerBuilder* builder);
  void Start();
  void Stop();

 private:
  struct Call;
  void Await();
  void Run();

  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  engine::Thread thread_;
};

}  // namespace sippar::cluster
