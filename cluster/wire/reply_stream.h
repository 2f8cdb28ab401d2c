// The messages of a streaming call. The next message is always in flight while the caller handles
// the one before. Waits check the caller's cancel flag every 20 ms. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpc/support/time.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_stream.h>

#include <memory>
#include <optional>
#include <utility>

#include "cluster/wire/store_connection.h"

namespace sippar::cluster {

template <typename Reply>
class ReplyStream {
 public:
  template <typename Request>
  using Method = std::unique_ptr<grpc::ClientAsyncReader<Reply>> (wire::Store::Stub::*)(
      grpc::ClientContext*, const Request&, grpc::CompletionQueue*, void*);

  // The server itself enforces `options.timeout_us` and reports what it has read until then. The
  // deadline set here is 2 s later and only serves against a server that does not answer.
  template <typename Request>
  ReplyStream(std::shared_ptr<StoreConnection> connection, Method<Request> method,
              const Request& request, const CallOptions& options)
      : connection_(std::move(connection)), cancel_(options.cancel) {
    if (options.timeout_us > 0) SetTimeout(&context_, options.timeout_us + kSilenceUs);
    SendTrace(&context_);
    reader_ = (connection_->stub()->*method)(&context_, request, &queue_, this);
    if (*Wait(kEver)) {
      reader_->Read(&arriving_, this);
    } else {
      Finish();
    }
  }
  ~ReplyStream() {
    context_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) continue;
  }
  ReplyStream(const ReplyStream&) = delete;
  ReplyStream& operator=(const ReplyStream&) = delete;

  // False: the stream has ended, and status() says how.
  [[nodiscard]] bool Next(Reply* reply) { return *NextUntil(kEver, reply); }
  // nullopt: no message came until `limit`; one may still come.
  [[nodiscard]] std::optional<bool> NextUntil(gpr_timespec limit, Reply* reply) {
    if (is_ended_) return false;
    std::optional<bool> has_come = IsCancelled() ? false : Wait(limit);
    if (!has_come.has_value()) return std::nullopt;
    if (!*has_come) {
      Finish();
      return false;
    }
    reply->Swap(&arriving_);
    arriving_.Clear();
    reader_->Read(&arriving_, this);
    return true;
  }
  // The status of the call as such: OK if all messages arrived. What the server says about the
  // request is in the messages.
  const Status& status() const { return status_; }

 private:
  static constexpr int64_t kSilenceUs = 2'000'000;
  static constexpr int64_t kPollUs = 20'000;
  inline static const gpr_timespec kEver = gpr_inf_future(GPR_CLOCK_MONOTONIC);

  // Waits for the operation in flight and returns whether it succeeded; nullopt: it is not done
  // until `limit`.
  std::optional<bool> Wait(gpr_timespec limit) {
    void* tag = nullptr;
    bool ok = false;
    while (true) {
      const gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
      const gpr_timespec poll = gpr_time_add(now, gpr_time_from_micros(kPollUs, GPR_TIMESPAN));
      auto next =
          queue_.AsyncNext(&tag, &ok, cancel_ == nullptr ? limit : gpr_time_min(limit, poll));
      if (next != grpc::CompletionQueue::TIMEOUT) return ok;
      if (IsCancelled()) {
        context_.TryCancel();  // makes the operation end soon
      } else if (gpr_time_cmp(now, limit) >= 0) {
        return std::nullopt;
      }
    }
  }

  bool IsCancelled() const { return cancel_ != nullptr && cancel_->load(); }

  void Finish() {
    is_ended_ = true;
    grpc::Status status;
    if (!IsCancelled()) {
      reader_->Finish(&status, this);
      (void)Wait(kEver);
    }
    if (IsCancelled()) {  // the destructor waits for the operation in flight
      status_ = Cancelled("the call was cancelled");
    } else if (!status.ok()) {
      status_ = connection_->Failed(status, Effect::kNone);
    }
  }

  const std::shared_ptr<StoreConnection> connection_;
  const CancelFlag cancel_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientAsyncReader<Reply>> reader_;
  Reply arriving_;
  bool is_ended_ = false;
  Status status_;
};

}  // namespace sippar::cluster
