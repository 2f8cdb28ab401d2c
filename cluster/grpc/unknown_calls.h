// Refuses calls that no service of a server has: the name tells a client's author what is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_builder.h>

#include "cluster/grpc/call_loop.h"

namespace sippar::cluster {

class UnknownCalls {
 public:
  void Register(grpc::ServerBuilder* builder) { builder->RegisterAsyncGenericService(&service_); }
  // Takes a call that comes to this loop, and the ones after it.
  void Await(CallLoop* loop);

 private:
  struct Call;
  grpc::AsyncGenericService service_;
};

}  // namespace sippar::cluster
