// The reading end of a stream: keeps the parts that have arrived until the reader takes them.
// Credit (credit.h) bounds the bytes that a slow reader leaves here. Thread safe, but only one
// thread may read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "cluster/net/credit.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"

namespace sippar::net {

class ReplyStream {
 public:
  // Functions through which the stream calls its channel. The channel may already be destroyed when
  // they are called. The stream holds no lock during these calls.
  struct Line {
    std::function<void(uint64_t bytes)> grant;
    std::function<void()> cancel;
  };

  // Waits for the next part; nullopt: the stream has ended without an error. Parts that came before
  // a failure are returned first.
  StatusOr<std::optional<std::string>> Next();
  // False: neither a part nor the end came within `wait_us`. True: Next does not wait.
  bool Await(int64_t wait_us);
  // The body of the server's last message. To be called after Next has returned nullopt.
  std::string End();
  // Cancels the call, unless it has ended; Next then returns the parts that have come, and after
  // them fails with kCancelled. May be called on any thread.
  void Cancel();
  uint64_t held_bytes();  // bytes that arrived and that Next has not returned yet

  // For the channel only.
  void Begin(Line line);
  // Adds a part. False: it exceeds the credit, so the server has violated the protocol.
  [[nodiscard]] bool OnPart(std::string part);
  void OnEnd(StatusOr<std::string> end);

 private:
  engine::Mutex mutex_;
  engine::CondVar changed_;
  std::deque<std::string> parts_ GUARDED_BY(mutex_);
  ReceiveCredit credit_ GUARDED_BY(mutex_){kStreamWindow};
  std::optional<StatusOr<std::string>> end_ GUARDED_BY(mutex_);
  Line line_;  // set by Begin, before the first part can come
};

}  // namespace sippar::net
