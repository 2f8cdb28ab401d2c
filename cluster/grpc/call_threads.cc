// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/call_threads.h"

#include <malloc.h>

#include <system_error>
#include <utility>

namespace sippar::cluster {
namespace {

constexpr size_t kIdleMax = 64;  // most idle threads; to start a thread costs as much as a read

}  // namespace

bool CallThreads::Run(std::function<void()> work) {
  // `ended` is declared before the lock and so destroyed after it. Its destructor joins threads,
  // which must happen without the lock, because an ending thread may still need the lock.
  Threads ended;
  engine::MutexLock lock(&mutex_);
  ended.swap(ended_);
  if (idle_ > 0) {
    --idle_;
    work_.push_back(std::move(work));
    wake_.NotifyOne();
    return true;
  }
  if (threads_.size() >= threads_max_) return false;
  Threads::iterator self = threads_.emplace(threads_.end());
  try {
    *self = engine::Thread(
        name_, [this, self, begun = std::move(work)]() mutable { Serve(self, std::move(begun)); });
  } catch (const std::system_error&) {  // the system can start no more threads
    threads_.erase(self);
    return false;
  }
  return true;
}

void CallThreads::Stop() {
  mutex_.Lock();
  is_stopping_ = true;
  wake_.NotifyAll();
  while (!threads_.empty()) wake_.Wait(&mutex_);
  mutex_.Unlock();
  ended_.clear();  // joins the ended threads
}

size_t CallThreads::threads() {
  engine::MutexLock lock(&mutex_);
  return threads_.size();
}

bool CallThreads::AwaitWork() {
  if (is_stopping_ || idle_ >= kIdleMax) return false;
  ++idle_;
  bool is_woken = true;
  while (work_.empty() && !is_stopping_ && is_woken) is_woken = wake_.WaitFor(&mutex_, idle_us_);
  if (!work_.empty()) return true;
  --idle_;
  return false;
}

void CallThreads::Serve(Threads::iterator self, std::function<void()> work) {
  Threads ended;  // joined when this function ends, without the lock
  bool is_last = false;
  for (bool goes_on = true; goes_on;) {
    work();
    work = nullptr;  // frees what the work holds before the wait
    engine::MutexLock lock(&mutex_);
    goes_on = AwaitWork();
    if (goes_on) {
      work = std::move(work_.front());
      work_.pop_front();
    } else {
      is_last = threads_.size() == 1 && !is_stopping_;
      // A thread cannot join itself. So it joins the threads that ended before it, and leaves its
      // own object to the next thread that ends, to Run or to Stop.
      ended.swap(ended_);
      ended_.splice(ended_.end(), threads_, self);
      // Only Stop waits for the end of threads. Otherwise a notification would make idle threads
      // start their wait of idle_us_ again, and they would never end.
      if (is_stopping_) wake_.NotifyAll();
    }
  }
  if (is_last) malloc_trim(0);
}

}  // namespace sippar::cluster
