// The traces of calls over gRPC. The trace id comes from the caller (header traceparent of W3C
// Trace Context, or x-cloud-trace-context of Google Cloud), or is made here. Reports slow calls,
// each with its id, and keeps traces as for calls between members (api/call_traces.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_interceptor.h>

#include <cstdint>
#include <memory>

#include "cluster/api/slow_calls.h"
#include "engine/base/call_notes.h"

namespace sippar::cluster {

// Makes the interceptors that look at all calls of a server.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> NewCallTracer(
    std::shared_ptr<SlowCalls> slow_calls);

// Traces the work of a call on one thread. While the object lives, the thread's notes are those of
// the call, so that calls to other members belong to its trace. At its end it keeps the notes as a
// part of the trace, if CallTraces wants that. Without a tracer the part has a trace of its own.
// Used by one thread.
class TracedWork {
 public:
  // `name` outlives the object.
  TracedWork(const grpc::ServerContextBase& context, const char* name);
  ~TracedWork();
  TracedWork(const TracedWork&) = delete;
  TracedWork& operator=(const TracedWork&) = delete;

 private:
  const char* const name_;
  const int64_t began_nanos_;
  engine::CallNotes notes_;
  const engine::CallNotesScope scope_;
};

}  // namespace sippar::cluster
