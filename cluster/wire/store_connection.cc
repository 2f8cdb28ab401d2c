// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/store_connection.h"

#include <fmt/format.h>
#include <grpc/support/time.h>
#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <utility>

#include "cluster/api/row_codec.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kCallTimeoutUs = 30'000'000;  // of calls whose work is short
constexpr int64_t kNoTimeout = 0;
constexpr int64_t kPollUs = 20'000;  // between two looks at a caller's cancel flag

int64_t TimeoutOf(const CallRule& rule, const CallOptions& options) {
  const int64_t limit_us = rule.limit == TimeLimit::kShort ? kCallTimeoutUs : kNoTimeout;
  if (limit_us == kNoTimeout || options.timeout_us == 0) return limit_us + options.timeout_us;
  return std::min(limit_us, options.timeout_us);
}

}  // namespace

void SetTimeout(grpc::ClientContext* context, int64_t timeout_us) {
  if (timeout_us <= 0) return;
  context->set_deadline(
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(timeout_us, GPR_TIMESPAN)));
}

Status StoreConnection::Hello(int64_t timeout_us, wire::HelloReply* reply) {
  grpc::ClientContext context;
  SetTimeout(&context, timeout_us);
  SendTrace(&context);
  grpc::Status status = stub_->Hello(&context, wire::HelloRequest(), reply);
  return status.ok() ? OkStatus() : Failed(status, Effect::kNone);
}

StatusOr<std::string> StoreConnection::Carry(const CallRule& rule, std::string call,
                                             const CallOptions& options) {
  if (options.is_cancelled()) return Cancelled(target_ + ": the call was cancelled");
  wire::CallRequest request;
  request.set_name(rule.name);
  request.set_call(std::move(call));
  grpc::ClientContext context;
  SetTimeout(&context, TimeoutOf(rule, options));
  SendTrace(&context);
  wire::CallReply reply;
  grpc::Status status = Call(&context, request, options, &reply);
  if (!status.ok()) {
    return options.is_cancelled() ? Cancelled(target_ + ": the call was cancelled")
                                  : Failed(status, rule.effect);
  }
  Status outcome;
  if (!DecodeValue(reply.outcome(), &outcome)) {
    return Internal(
        target_ +
        ": the server's answer cannot be decoded; use the same sippar for server and client");
  }
  RETURN_IF_ERROR(outcome);
  return std::move(*reply.mutable_reply());
}

grpc::Status StoreConnection::Call(grpc::ClientContext* context, const wire::CallRequest& request,
                                   const CallOptions& options, wire::CallReply* reply) {
  if (options.cancel == nullptr) return stub_->Call(context, request, reply);
  // gRPC cannot watch the flag, so this thread does, between waits for the answer.
  grpc::CompletionQueue queue;
  grpc::Status status;
  auto answer = stub_->AsyncCall(context, request, &queue);
  answer->Finish(reply, &status, this);
  void* tag = nullptr;
  bool ok = false;
  auto next = [&] {
    return queue.AsyncNext(
        &tag, &ok,
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(kPollUs, GPR_TIMESPAN)));
  };
  while (next() == grpc::CompletionQueue::TIMEOUT) {
    if (options.is_cancelled()) context->TryCancel();  // the answer comes soon then
  }
  return status;
}

Status StoreConnection::Failed(const grpc::Status& status, Effect effect) {
  std::string outcome =
      effect == Effect::kUnknown ? "; whether the change was made is not known" : "";
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::UNKNOWN:    // the connection broke between the parts of a reply
    case grpc::StatusCode::CANCELLED:  // the server is stopping, or was killed
      is_lost_ = true;
      if (status.error_details() == kNotBegun) {
        Status refused = Unavailable(target_ + ": the server leaves the store; nothing was done");
        MarkFailure(kNotBegun, &refused);
        return refused;
      }
      return Unavailable(fmt::format("{}: the connection to the server was lost ({}){}", target_,
                                     status.error_message(), outcome));
    // A late server is not a lost one: the connection stays in use.
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return DeadlineExceeded(fmt::format(
          "{}: no answer in time{}", target_,
          effect == Effect::kUnknown ? outcome + "; read what it was to change before you try again"
                                     : "; try again, or with a longer timeout"));
    case grpc::StatusCode::UNIMPLEMENTED:
      return Unimplemented(
          fmt::format("{}: what answers there is not sippar, or is another version of it ({}); use "
                      "the same sippar for both",
                      target_, status.error_message()));
    default:
      return {static_cast<StatusCode>(status.error_code()),
              fmt::format("{}: {}{}", target_, status.error_message(), outcome)};
  }
}

}  // namespace sippar::cluster
