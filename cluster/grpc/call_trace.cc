// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/call_trace.h"

#include <fmt/format.h>
#include <grpcpp/server_context.h>

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/printable.h"
#include "engine/base/random.h"

namespace sippar::cluster {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerRpcInfo;
using Headers = std::multimap<grpc::string_ref, grpc::string_ref>;

constexpr size_t kTraceIdSize = 32;

bool IsHex(std::string_view text, size_t size) {
  return text.size() == size && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The trace id in a header "traceparent": version, trace, span, flags. "": it has none.
std::string FromW3c(std::string_view text) {
  bool is_valid = text.size() == 55 && text.starts_with("00-") && text[35] == '-' &&
                  text[52] == '-' && IsHex(text.substr(3, kTraceIdSize), kTraceIdSize) &&
                  IsHex(text.substr(36, 16), 16) && IsHex(text.substr(53), 2);
  return std::string(is_valid ? text.substr(3, kTraceIdSize) : "");
}

// The trace id in a header "x-cloud-trace-context", TRACE_ID[/SPAN_ID][;o=1]. "": it has none.
std::string FromGoogle(std::string_view text) {
  std::string_view trace_id = text.substr(0, kTraceIdSize);
  return std::string(IsHex(trace_id, kTraceIdSize) ? trace_id : "");
}

std::string_view Find(const Headers& headers, const char* name) {
  auto found = headers.find(name);
  if (found == headers.end()) return "";
  return {found->second.data(), found->second.size()};
}

std::string NewTrace(engine::Clock* clock) {
  static std::atomic<uint64_t> made{0};
  auto now = static_cast<uint64_t>(clock->NowMicros() ^ clock->MonotonicNanos());
  engine::Random random(now ^ (made.fetch_add(1) << 48));
  return fmt::format("{:016x}{:016x}", random.Next(), random.Next());
}

// The trace of one call.
class TracedCall final : public grpc::experimental::Interceptor {
 public:
  TracedCall(SlowCalls* slow_calls, ServerRpcInfo* info)
      : slow_calls_(slow_calls), info_(info), start_nanos_(slow_calls->clock()->MonotonicNanos()) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      const Headers& headers = *methods->GetRecvInitialMetadata();
      trace_ = FromW3c(Find(headers, "traceparent"));
      if (trace_.empty()) trace_ = FromGoogle(Find(headers, "x-cloud-trace-context"));
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
    if (is_endless || !slow_calls_->IsSlow(nanos)) return;
    if (trace_.empty()) trace_ = NewTrace(slow_calls_->clock());
    slow_calls_->Report(fmt::format(
        "slow call: {} took {:.3f} s, status {}, trace {}, from {}", engine::PrintableBytes(method),
        static_cast<double>(nanos) / 1e9, static_cast<int>(status.error_code()), trace_,
        info_->server_context()->peer()));
  }

  SlowCalls* const slow_calls_;
  ServerRpcInfo* const info_;
  const int64_t start_nanos_;
  std::string trace_;  // trace id of the call; "": the caller sent none
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

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> NewCallTracer(
    std::shared_ptr<SlowCalls> slow_calls) {
  return std::make_unique<CallTracer>(std::move(slow_calls));
}

}  // namespace sippar::cluster
