// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/lane_threads.h"

#include <system_error>
#include <utility>

namespace sippar::net {

bool LaneThreads::Run(std::function<void()> work) {
  engine::MutexLock lock(&mutex_);
  if (is_stopping_ || queue_.size() >= queue_max_) return false;
  // Each piece of work in the queue will take one idle thread. If none is left for this piece, a
  // new thread is started.
  if (queue_.size() >= idle_ && threads_.size() < threads_max_) {
    if (!StartThread() && threads_.empty()) return false;
  }
  queue_.push_back(std::move(work));
  wake_.NotifyOne();
  return true;
}

bool LaneThreads::StartThread() {
  try {
    threads_.emplace_back(name_, [this] { Serve(); });
    return true;
  } catch (const std::system_error&) {  // the system can start no more threads
    return false;
  }
}

void LaneThreads::Stop() {
  std::vector<engine::Thread> threads;
  {
    engine::MutexLock lock(&mutex_);
    is_stopping_ = true;
    threads.swap(threads_);
    wake_.NotifyAll();
  }
  for (engine::Thread& thread : threads) thread.Join();
}

void LaneThreads::Serve() {
  for (;;) {
    std::function<void()> work;
    {
      engine::MutexLock lock(&mutex_);
      ++idle_;
      while (queue_.empty() && !is_stopping_) wake_.Wait(&mutex_);
      --idle_;
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

}  // namespace sippar::net
