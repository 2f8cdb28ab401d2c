// Refuses calls of methods that no service of the server has. The error names the method, which
// gRPC's own refusal does not, so that the author of a client sees what is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_builder.h>

#include "cluster/grpc/call_loop.h"

namespace sippar::cluster {

class UnknownCalls {
 public:
  void Register(grpc::ServerBuilder* builder) { builder->RegisterAsyncGenericService(&service_); }
  // Accepts such calls on this loop: the next one, and each one after it.
  void Await(CallLoop* loop);

 private:
  struct Call;
  grpc::AsyncGenericService service_;
};

}  // namespace sippar::cluster
