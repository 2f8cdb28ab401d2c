// Threads for long calls. A thread is started when all others are busy, then waits for further
// calls, and ends after some seconds without one. The last thread to end returns free memory to the
// system, because malloc keeps what a burst of calls used. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <string>

#include "engine/base/thread.h"

namespace sippar::cluster {

class CallThreads {
 public:
  CallThreads(std::string name, size_t threads_max, int64_t idle_us = 3'000'000)
      : name_(std::move(name)), threads_max_(threads_max), idle_us_(idle_us) {}
  ~CallThreads() { Stop(); }
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

  // Runs `work` on another thread. False, and nothing was done: all threads are busy, or the system
  // can start no more.
  [[nodiscard]] bool Run(std::function<void()> work);
  size_t threads();
  // Waits until all work is done. Run must not be called any more.
  void Stop();

 private:
  using Threads = std::list<engine::Thread>;
  void Serve(Threads::iterator self, std::function<void()> work);
  // Waits for the next work. False: none came in time, and the thread is to end.
  bool AwaitWork() REQUIRES(mutex_);

  const std::string name_;
  const size_t threads_max_;
  const int64_t idle_us_;
  engine::Mutex mutex_;
  engine::CondVar wake_;
  // Work for which an idle thread is reserved, so it never waits for a busy one.
  std::deque<std::function<void()>> work_ GUARDED_BY(mutex_);
  size_t idle_ GUARDED_BY(mutex_) = 0;  // waiting threads that are not reserved
  Threads threads_ GUARDED_BY(mutex_);
  Threads ended_ GUARDED_BY(mutex_);  // threads that are to be joined
  bool is_stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace sippar::cluster
