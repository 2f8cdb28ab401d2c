// Which request each call of a server belongs to, and which calls took long. A trace is what the
// caller sends (traceparent of W3C Trace Context, x-cloud-trace-context of Google Cloud), or begins
// here; it goes along with what the call asks of another server.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_interceptor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/clock.h"

namespace sippar::cluster {

// Which calls are slow, and what is called with the line about each; not null.
struct SlowCalls {
  int64_t from_us;
  std::function<void(const std::string& line)> tell;
};

// For all calls of a server. `clock` outlives it.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> NewCallTracer(
    engine::Clock* clock, SlowCalls slow);

// A call that is not served by the thread that read its headers. Null where nobody traces.
class TracedCall;
TracedCall* TraceOf(const grpc::ServerContextBase* context);

// This thread serves the call, or none, meanwhile.
class TraceScope {
 public:
  explicit TraceScope(TracedCall* call);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  TracedCall* const before_;
};

// The trace of the call that this thread serves, if it serves one.
void SendTrace(grpc::ClientContext* context);

}  // namespace sippar::cluster
