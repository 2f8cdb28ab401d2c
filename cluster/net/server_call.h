// One call at its server, from its request to its reply. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cluster/net/connection.h"
#include "cluster/net/credit.h"

namespace sippar::net {

class Session;

// Thread safe but for body().
class ServerCall {
 public:
  ServerCall(std::shared_ptr<Session> session, Frame request, int64_t arrived_nanos);
  ~ServerCall();  // an unanswered call is answered with kInternal
  ServerCall(const ServerCall&) = delete;
  ServerCall& operator=(const ServerCall&) = delete;

  uint16_t method() const { return request_.method; }
  bool is_stream() const { return (request_.flags & kIsStream) != 0; }
  std::string& body() { return request_.body; }
  int64_t deadline_nanos() const { return deadline_nanos_; }  // monotonic clock; 0: none
  std::atomic<bool>* cancelled() { return &is_cancelled_; }   // also when the connection ended
  // The caller waits no longer: it cancelled, has left, or its deadline is over.
  bool IsOver() const;
  const Hello& peer() const;
  const TlsIdentity& identity() const;

  // Ends the call although its work goes on: answers it, and cancels the work.
  void GiveUp(const Status& why);
  // The call ends only when its caller ends it: a server that stops does not wait for it.
  // kUnavailable: half of the lane's streams are endless already, and the rest is for those that
  // end.
  [[nodiscard]] Status MarkEndless();
  // The answer, or of a stream the end. The first one counts.
  void Reply(StatusOr<std::string> answer);
  // Sends a part of a stream; waits while the reader is slow. kCancelled: the caller waits no
  // longer. kDeadlineExceeded: its time is over. kInvalidArgument: the part is too large.
  [[nodiscard]] Status Write(std::string part);

 private:
  friend class Session;
  friend class ReplyGroup;
  void OnCancel();
  void OnCredit(uint64_t bytes);

  const std::shared_ptr<Session> session_;
  Frame request_;
  const size_t bytes_;  // of the request, as admitted
  const int64_t deadline_nanos_;
  std::atomic<bool> is_cancelled_{false};
  std::atomic<bool> is_answered_{false};
  std::atomic<bool> is_endless_{false};
  engine::Mutex mutex_;
  engine::CondVar changed_;
  SendCredit credit_ GUARDED_BY(mutex_){kStreamWindow};
};

// Answers of calls that end together, as those of one group of the log: one write for each
// connection, when the group is destroyed. Of one thread.
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
