// Reports the slow calls of a server, each with its trace id, which comes from the caller (header
// traceparent of W3C Trace Context, or x-cloud-trace-context of Google Cloud), or is made here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/server_interceptor.h>

#include <memory>

#include "cluster/api/slow_calls.h"

namespace sippar::cluster {

// Makes the interceptors that look at all calls of a server.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> NewCallTracer(
    std::shared_ptr<SlowCalls> slow_calls);

}  // namespace sippar::cluster
