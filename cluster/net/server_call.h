// One call at the server, from its request to its reply.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cluster/net/connection.h"
#include "cluster/net/credit.h"

namespace sippar::net {

class Session;

// Thread safe, except for body().
class ServerCall {
 public:
  ServerCall(std::shared_ptr<Session> session, Frame request, int64_t arrived_nanos);
  ~ServerCall();  // answers with kInternal if the call has no answer yet
  ServerCall(const ServerCall&) = delete;
  ServerCall& operator=(const ServerCall&) = delete;

  uint16_t method() const { return request_.method; }
  bool is_stream() const { return (request_.flags & kIsStream) != 0; }
  std::string& body() { return request_.body; }
  const std::string& body() const { return request_.body; }
  int64_t deadline_nanos() const { return deadline_nanos_; }       // monotonic clock; 0: none
  int64_t arrived_nanos() const { return arrived_nanos_; }         // monotonic clock
  const engine::TraceId& trace() const { return request_.trace; }  // none: the caller sent no id
  StatusCode outcome() const { return outcome_; }  // code passed to Reply; kOk before that
  std::atomic<bool>* cancelled() { return &is_cancelled_; }  // also set when the connection ends
  // True: the caller no longer waits, because it cancelled the call, its connection ended, the
  // deadline has passed, or GiveUp has answered the call.
  bool IsOver() const;
  const Hello& peer() const;
  const TlsIdentity& identity() const;

  // Answers the call with `why` and cancels its work, which may continue for a while.
  void GiveUp(const Status& why);
  // Declares that only the caller ends this stream, so that a server that stops does not wait for
  // it. kUnavailable: half of the lane's streams are endless already; the other half is for streams
  // that end by themselves.
  [[nodiscard]] Status MarkEndless();
  // Sends the answer; the answer of a stream is its last message. Only the first call of Reply
  // counts.
  void Reply(StatusOr<std::string> answer);
  // Sends a part of a stream; waits while the reader is slow. kCancelled: the caller no longer
  // waits. kDeadlineExceeded: the deadline has passed. kInvalidArgument: the part is too large.
  [[nodiscard]] Status Write(std::string part);

 private:
  friend class Session;
  friend class ReplyGroup;
  void OnCancel();
  void OnCredit(uint64_t bytes);

  const std::shared_ptr<Session> session_;
  Frame request_;
  const size_t bytes_;  // size of the request, as counted by the admission
  const int64_t arrived_nanos_;
  const int64_t deadline_nanos_;
  std::atomic<StatusCode> outcome_{StatusCode::kOk};
  std::atomic<bool> is_cancelled_{false};
  std::atomic<bool> is_answered_{false};
  std::atomic<bool> is_endless_{false};
  engine::Mutex mutex_;
  engine::CondVar changed_;
  SendCredit credit_ GUARDED_BY(mutex_){kStreamWindow};
};

// Sends the answers of calls that end together, for example those of one group of the commit log.
// The answers leave when the group is destroyed, in one write for each connection. Used by one
// thread.
class ReplyGroup {
 public:
  ReplyGroup() = default;
  ~ReplyGroup();
  ReplyGroup(const ReplyGroup&) = delete;
  ReplyGroup& operator=(const ReplyGroup&) = delete;
  void Reply(ServerCall* call, StatusOr<std::string> answer);

 private:
  std::vector<std::shared_ptr<Connection>> corked_;
};

}  // namespace sippar::net
