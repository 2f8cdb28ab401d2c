// Times one call that this thread serves. After the call, keeps its trace if CallTraces wants the
// trace (api/call_traces.h). A call whose trace is not kept costs at most two clock reads and a
// random number. Used by one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/net/server_call.h"
#include "engine/base/call_notes.h"

namespace sippar::cluster {

class RecordedCall {
 public:
  // Makes the notes of `call` current on this thread while the object lives. The call belongs to
  // the trace that its caller named, or to a new one. `began_nanos`: when this thread began to
  // serve the call, on the monotonic clock.
  RecordedCall(const net::ServerCall& call, int64_t began_nanos)
      : began_nanos_(began_nanos), scope_(&notes_) {
    notes_.trace = call.trace().is_none() ? engine::TraceId::New() : call.trace();
  }

  // To be called after the call was answered. `member`: name of the process.
  void End(const net::ServerCall& call, std::string_view member);
  engine::TraceId trace() const { return notes_.trace; }
  // A name of the call for people to read.
  static std::string NameOf(const net::ServerCall& call);

 private:
  void Keep(const net::ServerCall& call, std::string_view member, int64_t end_nanos) const;

  const int64_t began_nanos_;
  engine::CallNotes notes_;
  const engine::CallNotesScope scope_;
};

}  // namespace sippar::cluster
