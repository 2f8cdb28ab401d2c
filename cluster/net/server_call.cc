// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/server_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/net/failure.h"
#include "cluster/net/session.h"
#include "engine/base/clock.h"

namespace sippar::net {
namespace {

// Time between two looks at a connection whose send queue is full. Only Write waits this way.
constexpr int64_t kFullLineMicros = 5'000;

int64_t Now() { return engine::Clock::System()->MonotonicNanos(); }

}  // namespace

ServerCall::ServerCall(std::shared_ptr<Session> session, Frame request, int64_t arrived_nanos)
    : session_(std::move(session)),
      request_(std::move(request)),
      bytes_(request_.body.size()),
      arrived_nanos_(arrived_nanos),
      deadline_nanos_(request_.argument == 0
                          ? 0
                          : arrived_nanos + static_cast<int64_t>(std::min<uint64_t>(
                                                request_.argument, INT64_MAX / 4000)) *
                                                1000) {}

ServerCall::~ServerCall() {
  if (!is_answered_)
    Reply(Internal(fmt::format(
        "call {} (method {}): its server ended it without an answer; it may have been carried out",
        request_.call, method())));
  session_->Forget(*this);
}

bool ServerCall::IsOver() const {
  return is_cancelled_ || (deadline_nanos_ != 0 && Now() > deadline_nanos_);
}

const Hello& ServerCall::peer() const { return session_->peer_; }
const TlsIdentity& ServerCall::identity() const { return session_->connection_->identity(); }

Status ServerCall::MarkEndless() {
  ServerLane* lane = session_->lane_;
  engine::MutexLock lock(&lane->mutex);
  if (lane->endless >= lane->bounds.streams_max / 2) {
    return Unavailable(
        fmt::format("stream: too many streams without an end are open (found {}, at most {}); end "
                    "some of them first",
                    lane->endless, lane->bounds.streams_max / 2));
  }
  if (!is_endless_.exchange(true)) ++lane->endless;
  return OkStatus();
}

void ServerCall::Reply(StatusOr<std::string> answer) {
  if (is_answered_.exchange(true)) return;
  outcome_ = answer.status().code();
  if (is_cancelled_) return;  // the caller no longer waits for an answer
  if (answer.ok() && answer->size() > kBodySizeMax) {
    answer =
        FailedPrecondition(fmt::format("call {} (method {}) was carried out, do not repeat it; but "
                                       "its answer has {} bytes and the "
                                       "limit is {}",
                                       request_.call, method(), answer->size(), kBodySizeMax));
  }
  // The work may have noticed the deadline and failed with an error of its own. The caller gets
  // kUnavailable instead, because this attempt ran out of time.
  StatusCode code = answer.status().code();
  if (IsOver() && (code == StatusCode::kCancelled || code == StatusCode::kDeadlineExceeded)) {
    answer = Unavailable(fmt::format("call {} (method {}): its time ran out at its server ({})",
                                     request_.call, method(), MessageOf(answer.status())));
  }
  Frame reply{.kind = FrameKind::kReply, .call = request_.call};
  if (answer.ok()) {
    reply.body = *std::move(answer);
  } else {
    reply.flags = kIsFailure;
    reply.body = EncodeFailure(answer.status());
  }
  static_cast<void>(session_->Send(std::move(reply)));  // fails only after the connection's end
}

Status ServerCall::Write(std::string part) {
  if (part.size() > kBodySizeMax) {
    return InvalidArgument(
        fmt::format("part of a stream: it is too large (found {} bytes, at "
                    "most {})",
                    part.size(), kBodySizeMax));
  }
  size_t unsent_max = session_->lane_->bounds.unsent_bytes_max;
  {
    engine::MutexLock lock(&mutex_);
    for (;;) {
      if (is_cancelled_ || is_answered_) return Cancelled("stream: its caller waits no longer");
      if (IsOver()) return DeadlineExceeded("stream: it took longer than its timeout");
      bool is_full = session_->connection_->queued_bytes() > unsent_max;
      if (credit_.MaySend() && !is_full) break;
      if (is_full) {
        changed_.WaitFor(&mutex_, kFullLineMicros);
      } else if (deadline_nanos_ != 0) {
        changed_.WaitFor(&mutex_, (deadline_nanos_ - Now()) / 1000 + 1);
      } else {
        changed_.Wait(&mutex_);
      }
    }
    credit_.Sent(CostOf(part.size()));
  }
  Frame frame{.kind = FrameKind::kPart, .call = request_.call, .body = std::move(part)};
  if (session_->Send(std::move(frame))) return OkStatus();
  return Cancelled("stream: its connection has ended");
}

void ServerCall::GiveUp(const Status& why) {
  Reply(why);
  OnCancel();
}

void ServerCall::OnCancel() {
  is_cancelled_ = true;
  engine::MutexLock lock(&mutex_);
  changed_.NotifyAll();
}

void ServerCall::OnCredit(uint64_t bytes) {
  engine::MutexLock lock(&mutex_);
  credit_.Granted(bytes);
  changed_.NotifyAll();
}

ReplyGroup::~ReplyGroup() {
  for (const auto& connection : corked_) connection->Uncork();
}

void ReplyGroup::Reply(ServerCall* call, StatusOr<std::string> answer) {
  const std::shared_ptr<Connection>& connection = call->session_->connection_;
  if (std::find(corked_.begin(), corked_.end(), connection) == corked_.end()) {
    connection->Cork();
    corked_.push_back(connection);
  }
  call->Reply(std::move(answer));
}

}  // namespace sippar::net
