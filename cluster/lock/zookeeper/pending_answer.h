// A request to ZooKeeper, and its answer once it comes. The client's thread completes the request,
// or ZooKeeperHandle if the client does not take it or is closed; the caller waits with a deadline
// of its own, and reminds a silent member.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/lock/zookeeper/answer.h"
#include "cluster/lock/zookeeper/file_view.h"
#include "engine/base/clock.h"
#include "engine/base/thread.h"

namespace sippar::cluster::zookeeper {

struct Answer {
  int code = kOk;
  Znode node;                      // the node that Get has read
  std::vector<std::string> names;  // the children that Names has listed
  std::vector<int> parts;          // a code for each change of Make
};

class PendingAnswer {
 public:
  // `first` (may be empty) runs in the thread that completes the request, before any event that
  // comes after the answer. `remind` (may be empty) runs in a thread that has waited for 0.1 s,
  // and then again after pauses that double.
  explicit PendingAnswer(std::function<void()> first = {}, std::function<void()> remind = {})
      : first_(std::move(first)), remind_(std::move(remind)) {}

  void Complete(Answer answer) {
    if (first_) first_();
    engine::MutexLock lock(&mutex_);
    answer_ = std::move(answer);
    done_ = true;
    completed_.NotifyAll();
  }
  // Returns the code kNoAnswer if the deadline, by the system's monotonic clock, comes first.
  Answer Wait(int64_t deadline_nanos) {
    for (int64_t pause_nanos = 100'000'000;; pause_nanos *= 2) {
      const int64_t now_nanos = engine::Clock::System()->MonotonicNanos();
      const int64_t until_nanos = std::min(deadline_nanos, now_nanos + pause_nanos);
      if (std::optional<Answer> answer = WaitUntil(until_nanos)) return *std::move(answer);
      if (until_nanos == deadline_nanos) return {kNoAnswer, {}, {}, {}};
      if (remind_) remind_();
    }
  }

 private:
  std::optional<Answer> WaitUntil(int64_t until_nanos) {
    engine::MutexLock lock(&mutex_);
    while (!done_) {
      int64_t left_us = (until_nanos - engine::Clock::System()->MonotonicNanos()) / 1000;
      if (left_us <= 0) return std::nullopt;
      completed_.WaitFor(&mutex_, left_us);
    }
    return answer_;
  }

  const std::function<void()> first_;
  const std::function<void()> remind_;
  engine::Mutex mutex_;
  engine::CondVar completed_;
  bool done_ GUARDED_BY(mutex_) = false;
  Answer answer_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster::zookeeper
