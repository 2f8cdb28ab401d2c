// Traces the calls of a server and reports slow ones. A call's trace id comes from its caller
// (header traceparent of W3C Trace Context, or x-cloud-trace-context of Google Cloud), or is made
// here. Calls that it makes to another server carry the same id.
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

// How long a call must take to be reported, and the function that gets one line about it. The
// function is not null.
struct SlowCalls {
  int64_t from_us;
  std::function<void(const std::string& line)> tell;
};

// Makes the interceptors that trace all calls of a server. `clock` must outlive them.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> NewCallTracer(
    engine::Clock* clock, SlowCalls slow);

// Finds the trace of a call, for a call that another thread serves than the one that read its
// headers. Null: the server traces no calls.
class TracedCall;
TracedCall* TraceOf(const grpc::ServerContextBase* context);

// While it lives, this thread serves `call`; null: no call.
class TraceScope {
 public:
  explicit TraceScope(TracedCall* call);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  TracedCall* const before_;
};

// Names the call that this thread serves, where one method of a service carries many calls: the
// line about a slow call shows both names. `name` is a literal.
void NameCall(const char* name);

// Adds the trace of the call that this thread serves, if any, to an outgoing call.
void SendTrace(grpc::ClientContext* context);

}  // namespace sippar::cluster
