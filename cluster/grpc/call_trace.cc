// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/call_trace.h"

#include <fmt/format.h>
#include <grpcpp/server_context.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/api/call_traces.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerRpcInfo;
using Headers = std::multimap<grpc::string_ref, grpc::string_ref>;

constexpr size_t kTraceIdSize = 32;
// The header in which the tracer passes the trace id to the service. The tracer drops the header of
// this name that a caller has sent.
constexpr const char* kTraceHeader = "x-sippar-trace";

bool IsHex(std::string_view text, size_t size) {
  return text.size() == size && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Returns the trace id in a header "traceparent": version, trace, span, flags. None: the header has
// no valid id.
engine::TraceId FromW3c(std::string_view text) {
  bool is_valid = text.size() == 55 && text.starts_with("00-") && text[35] == '-' &&
                  text[52] == '-' && IsHex(text.substr(36, 16), 16) && IsHex(text.substr(53), 2);
  return engine::TraceId::FromHex(is_valid ? text.substr(3, kTraceIdSize) : "");
}

// Returns the trace id in a header "x-cloud-trace-context", TRACE_ID[/SPAN_ID][;o=1]. None: the
// header has no valid id.
engine::TraceId FromGoogle(std::string_view text) {
  return engine::TraceId::FromHex(text.substr(0, kTraceIdSize));
}

std::string_view Find(const Headers& headers, const char* name) {
  auto found = headers.find(name);
  if (found == headers.end()) return "";
  return {found->second.data(), found->second.size()};
}

engine::TraceId TraceIn(const Headers& headers) {
  engine::TraceId trace = FromW3c(Find(headers, "traceparent"));
  if (trace.is_none()) trace = FromGoogle(Find(headers, "x-cloud-trace-context"));
  return trace.is_none() ? engine::TraceId::New() : trace;
}

int64_t Now() { return engine::Clock::System()->MonotonicNanos(); }

// Keeps the trace of a call that ends now, or of a part of a call.
void Keep(const engine::CallNotes& notes, std::string_view call, const std::string& caller,
          grpc::StatusCode code, int64_t nanos) {
  CallTraceInfo info = InfoOf(notes);
  info.call = engine::PrintableBytes(call);
  info.server = "api";
  info.caller = caller;
  info.duration_us = nanos / 1000;
  info.start_us = engine::Clock::System()->NowMicros() - info.duration_us;
  // The codes of gRPC are those of Status.
  info.outcome = absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
  CallTraces::OfProcess()->Keep(std::move(info));
}

// The trace of one call.
class TracedCall final : public grpc::experimental::Interceptor {
 public:
  TracedCall(SlowCalls* slow_calls, ServerRpcInfo* info)
      : slow_calls_(slow_calls), info_(info), start_nanos_(slow_calls->clock()->MonotonicNanos()) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      Headers* headers = methods->GetRecvInitialMetadata();
      notes_.trace = TraceIn(*headers);
      hex_ = notes_.trace.ToHex();
      headers->erase(kTraceHeader);
      headers->emplace(kTraceHeader, hex_);
    }
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      End(methods->GetSendStatus());
    }
    methods->Proceed();
  }

 private:
  void End(const grpc::Status& status) {
    const int64_t nanos = slow_calls_->clock()->MonotonicNanos() - start_nanos_;
    std::string_view method = info_->method();
    // A change stream lasts as long as its reader wants, so its duration says nothing.
    const bool is_endless = method.find("/ReadChange") != std::string_view::npos;
    if (is_endless) return;
    const int64_t taken_nanos = Now() - arrived_nanos_;
    if (CallTraces::OfProcess()->Wants(notes_.trace, taken_nanos)) {
      Keep(notes_, method.substr(method.rfind('/') + 1), info_->server_context()->peer(),
           status.error_code(), taken_nanos);
    }
    if (!slow_calls_->IsSlow(nanos)) return;
    slow_calls_->Report(
        fmt::format("slow call: {} took {:.3f} s, status {}, trace {}, from {}",
                    engine::PrintableBytes(method), static_cast<double>(nanos) / 1e9,
                    static_cast<int>(status.error_code()), hex_, info_->server_context()->peer()));
  }

  SlowCalls* const slow_calls_;
  ServerRpcInfo* const info_;
  const int64_t start_nanos_;
  // Start of the call by the system's clock; start_nanos_ is by the clock of `slow_calls_`.
  const int64_t arrived_nanos_ = Now();
  engine::CallNotes notes_;  // only the trace id is set
  std::string hex_;          // the trace id as text
};

class CallTracer final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit CallTracer(std::shared_ptr<SlowCalls> slow_calls) : slow_calls_(std::move(slow_calls)) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(ServerRpcInfo* info) override {
    return new TracedCall(slow_calls_.get(), info);
  }

 private:
  const std::shared_ptr<SlowCalls> slow_calls_;
};

}  // namespace

TracedWork::TracedWork(const grpc::ServerContextBase& context, const char* name)
    : name_(name), began_nanos_(Now()), scope_(&notes_) {
  notes_.trace = engine::TraceId::FromHex(Find(context.client_metadata(), kTraceHeader));
  if (notes_.trace.is_none()) notes_.trace = engine::TraceId::New();
}

TracedWork::~TracedWork() {
  const int64_t nanos = Now() - began_nanos_;
  if (!CallTraces::OfProcess()->Wants(notes_.trace, nanos)) return;
  Keep(notes_, name_, "", grpc::StatusCode::OK, nanos);
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> NewCallTracer(
    std::shared_ptr<SlowCalls> slow_calls) {
  return std::make_unique<CallTracer>(std::move(slow_calls));
}

}  // namespace sippar::cluster
