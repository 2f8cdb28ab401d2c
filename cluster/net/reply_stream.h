// The reading end of a stream: parts as they come, held back by credit while the reader is slow.
// Thread safe; one thread reads. SPDX-License-Identifier: Apache-2.0
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
  // Both call back the channel, which may be gone by then; without locks held.
  struct Line {
    std::function<void(uint64_t bytes)> grant;
    std::function<void()> cancel;
  };

  // Waits for the next part; nullopt: the stream has ended well. Parts that came before a failure
  // are given first.
  StatusOr<std::optional<std::string>> Next();
  // False: neither a part nor the end came within `wait_us`. Otherwise Next does not wait.
  bool Await(int64_t wait_us);
  // What the server said at the end, after Next returned nullopt.
  std::string End();
  // Next then fails with kCancelled. Any thread.
  void Cancel();
  uint64_t held_bytes();  // arrived, and not taken by Next yet

  // Of the channel.
  void Begin(Line line);
  // False: the part came without credit, which no server of this protocol sends.
  [[nodiscard]] bool OnPart(std::string part);
  void OnEnd(StatusOr<std::string> end);

 private:
  engine::Mutex mutex_;
  engine::CondVar changed_;
  std::deque<std::string> parts_ GUARDED_BY(mutex_);
  ReceiveCredit credit_ GUARDED_BY(mutex_){kStreamWindow};
  std::optional<StatusOr<std::string>> end_ GUARDED_BY(mutex_);
  Line line_;  // set before the first part can come
};

}  // namespace sippar::net
