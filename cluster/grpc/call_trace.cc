// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/call_trace.h"

#include <fmt/format.h>
#include <grpcpp/server_context.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/printable.h"
#include "engine/base/random.h"
#include "engine/base/thread.h"

namespace sippar::cluster {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerRpcInfo;
using Headers = std::multimap<grpc::string_ref, grpc::string_ref>;

// Shortest time between two lines. When all calls are slow, a line for each would fill the log.
constexpr int64_t kLineNanos = 100'000'000;
constexpr size_t kTraceIdSize = 32;

bool IsHex(std::string_view text, size_t size) {
  return text.size() == size && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Makes the value of a traceparent header: version, trace, span, flags.
std::string Parent(std::string_view trace_id, uint64_t span, bool is_sampled) {
  return fmt::format("00-{}-{:016x}-0{}", trace_id, span, is_sampled ? 1 : 0);
}

// Returns the header's value, or "" if it is missing or malformed.
std::string FromW3c(std::string_view text) {
  bool is_valid = text.size() == 55 && text.starts_with("00-") && text[35] == '-' &&
                  text[52] == '-' && IsHex(text.substr(3, kTraceIdSize), kTraceIdSize) &&
                  IsHex(text.substr(36, 16), 16) && IsHex(text.substr(53), 2);
  return std::string(is_valid ? text : "");
}

// Converts the header x-cloud-trace-context, TRACE_ID[/SPAN_ID][;o=1], to a traceparent value. A
// span of 0 is invalid there, so it becomes 1.
std::string FromGoogle(std::string_view text) {
  std::string_view trace_id = text.substr(0, kTraceIdSize);
  if (!IsHex(trace_id, kTraceIdSize)) return "";
  uint64_t span = 0;
  if (text.substr(trace_id.size()).starts_with("/")) {
    (void)std::from_chars(text.data() + trace_id.size() + 1, text.data() + text.size(), span);
  }
  return Parent(trace_id, std::max<uint64_t>(span, 1), text.ends_with(";o=1"));
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
  return Parent(fmt::format("{:016x}{:016x}", random.Next(), random.Next()), random.Next(), false);
}

// Writes lines about slow calls, at a limited rate. Thread safe.
class SlowCallLines {
 public:
  SlowCallLines(engine::Clock* clock, SlowCalls slow) : clock_(clock), slow_(std::move(slow)) {}

  bool IsSlow(int64_t nanos) const { return nanos / 1000 >= slow_.from_us; }
  void Tell(std::string line) {
    {
      engine::MutexLock lock(&mutex_);
      int64_t now_nanos = clock_->MonotonicNanos();
      if (now_nanos < quiet_until_nanos_) {
        ++untold_;
        return;
      }
      quiet_until_nanos_ = now_nanos + kLineNanos;
      if (untold_ > 0) line += fmt::format(" ({} others before it)", std::exchange(untold_, 0));
    }
    slow_.tell(line);
  }
  engine::Clock* clock() const { return clock_; }

 private:
  engine::Clock* const clock_;
  const SlowCalls slow_;
  engine::Mutex mutex_;
  int64_t quiet_until_nanos_ GUARDED_BY(mutex_) = INT64_MIN;
  uint64_t untold_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

// The trace of one call. gRPC's synchronous methods run on the thread that read the headers, which
// therefore serves this call from Begin to End. Calls that other threads serve use a TraceScope.
class TracedCall final : public grpc::experimental::Interceptor {
 public:
  TracedCall(SlowCallLines* lines, ServerRpcInfo* info)
      : lines_(lines), info_(info), start_nanos_(lines->clock()->MonotonicNanos()) {}
  ~TracedCall() override {
    Leave();
    OpenCalls& open = Open();
    engine::MutexLock lock(&open.mutex);
    auto found = open.by_context.find(info_->server_context());
    if (found != open.by_context.end() && found->second == this) open.by_context.erase(found);
  }
  TracedCall(const TracedCall&) = delete;
  TracedCall& operator=(const TracedCall&) = delete;

  static TracedCall* OfThisThread() { return of_this_thread_; }
  static TracedCall* OfContext(const grpc::ServerContextBase* context) {
    OpenCalls& open = Open();
    engine::MutexLock lock(&open.mutex);
    auto found = open.by_context.find(context);
    return found == open.by_context.end() ? nullptr : found->second;
  }
  // Returns the call that this thread served before.
  static TracedCall* SetOfThisThread(TracedCall* call) {
    return std::exchange(of_this_thread_, call);
  }

  void SetName(const char* name) { name_ = name; }

  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      Begin(*methods->GetRecvInitialMetadata());
    }
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      End(methods->GetSendStatus());
    }
    methods->Proceed();
  }

  // The traceparent value. If the caller sent none, it is made at the first use: most calls are
  // fast and ask no other server, so they never need it.
  const std::string& trace() {
    if (trace_.empty()) trace_ = NewTrace(lines_->clock());
    return trace_;
  }

 private:
  struct OpenCalls {
    engine::Mutex mutex;
    std::unordered_map<const grpc::ServerContextBase*, TracedCall*> by_context GUARDED_BY(mutex);
  };
  // Never destroyed: gRPC ends its last calls on threads that a process does not wait for.
  static OpenCalls& Open() {
    static OpenCalls& open = *new OpenCalls();
    return open;
  }

  void Begin(const Headers& headers) {
    trace_ = FromW3c(Find(headers, "traceparent"));
    if (trace_.empty()) trace_ = FromGoogle(Find(headers, "x-cloud-trace-context"));
    of_this_thread_ = this;
    OpenCalls& open = Open();
    engine::MutexLock lock(&open.mutex);
    open.by_context[info_->server_context()] = this;
  }
  void End(const grpc::Status& status) {
    Leave();
    int64_t nanos = lines_->clock()->MonotonicNanos() - start_nanos_;
    std::string_view method = info_->method();
    // A change stream lasts as long as its reader wants, so its duration says nothing.
    bool is_endless = method.find("/ReadChange") != std::string_view::npos;
    if (is_endless || !lines_->IsSlow(nanos)) return;
    lines_->Tell(fmt::format(
        "slow call: {}{}{} took {:.3f} s, status {}, trace {}, from {}",
        engine::PrintableBytes(method), name_.empty() ? "" : " ", name_,
        static_cast<double>(nanos) / 1e9, static_cast<int>(status.error_code()),
        std::string_view(trace()).substr(3, kTraceIdSize), info_->server_context()->peer()));
  }
  void Leave() {
    if (of_this_thread_ == this) of_this_thread_ = nullptr;
  }

  inline static thread_local TracedCall* of_this_thread_ = nullptr;
  SlowCallLines* const lines_;
  ServerRpcInfo* const info_;
  const int64_t start_nanos_;
  std::string_view name_;  // see NameCall
  std::string trace_;
};

namespace {

class CallTracer final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  CallTracer(engine::Clock* clock, SlowCalls slow) : lines_(clock, std::move(slow)) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(ServerRpcInfo* info) override {
    return new TracedCall(&lines_, info);
  }

 private:
  SlowCallLines lines_;
};

}  // namespace

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> NewCallTracer(
    engine::Clock* clock, SlowCalls slow) {
  return std::make_unique<CallTracer>(clock, std::move(slow));
}

TracedCall* TraceOf(const grpc::ServerContextBase* context) {
  return TracedCall::OfContext(context);
}

TraceScope::TraceScope(TracedCall* call) : before_(TracedCall::SetOfThisThread(call)) {}
TraceScope::~TraceScope() { TracedCall::SetOfThisThread(before_); }

void NameCall(const char* name) {
  TracedCall* call = TracedCall::OfThisThread();
  if (call != nullptr) call->SetName(name);
}

void SendTrace(grpc::ClientContext* context) {
  TracedCall* call = TracedCall::OfThisThread();
  if (call != nullptr) context->AddMetadata("traceparent", call->trace());
}

}  // namespace sippar::cluster
