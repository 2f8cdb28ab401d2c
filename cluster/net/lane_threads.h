// The threads of a lane, for calls that may wait for a disk, a lock or another server. A thread is
// started when it is needed, up to a bound. Further work waits in a queue, which is bounded as
// well. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/thread.h"

namespace sippar::net {

class LaneThreads {
 public:
  LaneThreads(std::string name, size_t threads_max, size_t queue_max)
      : name_(std::move(name)), threads_max_(threads_max), queue_max_(queue_max) {}
  ~LaneThreads() { Stop(); }
  LaneThreads(const LaneThreads&) = delete;
  LaneThreads& operator=(const LaneThreads&) = delete;

  // False: nothing was done, because the queue is full, because no thread runs and the system can
  // start none, or because Stop was called.
  [[nodiscard]] bool Run(std::function<void()> work);
  // Waits until all work is done.
  void Stop();

 private:
  void Serve();
  [[nodiscard]] bool StartThread() REQUIRES(mutex_);

  const std::string name_;
  const size_t threads_max_, queue_max_;
  engine::Mutex mutex_;
  engine::CondVar wake_;
  std::deque<std::function<void()>> queue_ GUARDED_BY(mutex_);
  size_t idle_ GUARDED_BY(mutex_) = 0;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  std::vector<engine::Thread> threads_ GUARDED_BY(mutex_);
};

}  // namespace sippar::net
