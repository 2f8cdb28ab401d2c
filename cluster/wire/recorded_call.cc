// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/recorded_call.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/api/call_traces.h"
#include "cluster/wire/methods.h"
#include "engine/base/clock.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
std::string RecordedCall::NameOf(const net::ServerCall& call) {
  const auto method = static_cast<Method>(call.method());
  NamedCall named;
  if (!call.is_stream() && DecodeNamedCall(call.body(), &named)) {
    return engine::PrintableBytes(named.name);
  }
  if (method == Method::kReadTable || method == Method::kReadTablet) return "Read";
  if (method == Method::kRunTable || method == Method::kRunTablet) return "Run";
  return fmt::format("method {}", call.method());
}

void RecordedCall::End(const net::ServerCall& call, std::string_view member) {
  const int64_t end_nanos = engine::Clock::System()->MonotonicNanos();
  if (CallTraces::OfProcess()->Wants(notes_.trace, end_nanos - call.arrived_nanos())) [[unlikely]] {
    Keep(call, member, end_nanos);
  }
}

void RecordedCall::Keep(const net::ServerCall& call, std::string_view member,
                        int64_t end_nanos) const {
  CallTraceInfo info = InfoOf(notes_);
  info.call = NameOf(call);
  info.server = member;
  info.caller = fmt::format("{} {}", engine::PrintableBytes(call.peer().role),
                            engine::PrintableBytes(call.peer().name));
  info.duration_us = (end_nanos - call.arrived_nanos()) / 1000;
  info.start_us = engine::Clock::System()->NowMicros() - info.duration_us;
  const StatusCode code = call.outcome() == StatusCode::kOk ? notes_.stream_end : call.outcome();
  info.outcome = absl::StatusCodeToString(code);
  info.work.queue_us = (began_nanos_ - call.arrived_nanos()) / 1000;
  CallTraces::OfProcess()->Keep(std::move(info));
}

}  // namespace sippar::cluster
