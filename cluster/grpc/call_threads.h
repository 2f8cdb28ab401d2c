// Threads for calls that take their time: made when all others are busy, kept for the next, and
// ended after some seconds without one. The last to end gives free memory back to the system: what
// a burst of calls took, malloc keeps. Thread safe. SPDX-License-Identifier: Apache-2.0
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

  // False: all are busy, or the system has no more; nothing was done.
  [[nodiscard]] bool Run(std::function<void()> work);
  size_t threads();
  // Waits for what was begun. Nothing may come any more.
  void Stop();

 private:
  using Threads = std::list<engine::Thread>;
  void Serve(Threads::iterator self, std::function<void()> work);
  // False: none came.
  bool AwaitWork() REQUIRES(mutex_);

  const std::string name_;
  const size_t threads_max_;
  const int64_t idle_us_;
  engine::Mutex mutex_;
  engine::CondVar wake_;
  std::deque<std::function<void()>> work_ GUARDED_BY(mutex_);  // each has an idle thread
  size_t idle_ GUARDED_BY(mutex_) = 0;                         // not counting those
  Threads threads_ GUARDED_BY(mutex_);
  Threads ended_ GUARDED_BY(mutex_);  // to be joined
  bool is_stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace sippar::cluster
