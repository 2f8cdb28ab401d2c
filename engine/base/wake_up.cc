// Uses a POSIX semaphore outside simulations: sem_post does not touch the object after it has woken
// the waiter, so the waiter may destroy the object at once.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/wake_up.h"

#include <cerrno>
#include <ctime>
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace sippar::engine {

void WakeUp::Notify() {
  if (ThreadRuntime::Current() == nullptr) [[likely]] {
    sem_post(&semaphore_);
    return;
  }
  MutexLock lock(&mutex_);
  ++count_;
  condition_.NotifyOne();
}

void WakeUp::Wait() {
  if (ThreadRuntime::Current() == nullptr) [[likely]] {
    // Waits again after a signal has interrupted sem_wait.
    while (sem_wait(&semaphore_) != 0) continue;
    return;
  }
  MutexLock lock(&mutex_);
  while (count_ == 0) condition_.Wait(&mutex_);
  --count_;
}

bool WakeUp::WaitFor(int64_t micros) {
  if (ThreadRuntime::Current() == nullptr) [[likely]] {
    timespec limit{};
    clock_gettime(CLOCK_MONOTONIC, &limit);
    int64_t nanos = limit.tv_nsec + micros % 1'000'000 * 1000;
    limit.tv_sec += micros / 1'000'000 + nanos / 1'000'000'000;
    limit.tv_nsec = nanos % 1'000'000'000;
    while (sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &limit) != 0) {
      if (errno == ETIMEDOUT) return false;
    }
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(&semaphore_);  // TSan knows sem_post and sem_wait, but not sem_clockwait
#endif
    return true;
  }
  MutexLock lock(&mutex_);
  if (count_ == 0) condition_.WaitFor(&mutex_, micros);
  if (count_ == 0) return false;
  --count_;
  return true;
}

}  // namespace sippar::engine
