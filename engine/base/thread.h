// Threads, locks and condition variables of the OS; in a simulation, those of ThreadRuntime.
// Clang's -Wthread-safety reads the annotations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>

#include "engine/base/thread_runtime.h"

#if defined(__clang__)
#define SIPPAR_TSA(x) __attribute__((x))
#else
#define SIPPAR_TSA(x)
#endif
// Abseil's headers may have defined these names before, with the same meaning.
#undef GUARDED_BY
#undef REQUIRES
#undef EXCLUDES
#define GUARDED_BY(x) SIPPAR_TSA(guarded_by(x))
#define REQUIRES(...) SIPPAR_TSA(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) SIPPAR_TSA(locks_excluded(__VA_ARGS__))

namespace sippar::engine {

class SIPPAR_TSA(capability("mutex")) Mutex {
 public:
  void Lock() SIPPAR_TSA(acquire_capability()) {
    if (ThreadRuntime* runtime = ThreadRuntime::Current()) [[unlikely]]
      return runtime->Lock(this);
    mutex_.lock();
  }
  void Unlock() SIPPAR_TSA(release_capability()) {
    if (ThreadRuntime* runtime = ThreadRuntime::Current()) [[unlikely]]
      return runtime->Unlock(this);
    mutex_.unlock();
  }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SIPPAR_TSA(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) SIPPAR_TSA(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_->Lock();
  }
  ~MutexLock() SIPPAR_TSA(release_capability()) { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* mutex_;
};

// Wait with the mutex held. Spurious wake-ups happen, so wait in a loop.
class CondVar {
 public:
  void Wait(Mutex* mutex) SIPPAR_TSA(no_thread_safety_analysis) {
    if (ThreadRuntime* runtime = ThreadRuntime::Current()) [[unlikely]] {
      runtime->Wait(this, mutex, -1);
      return;
    }
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // Returns false when `micros` passed without a wake-up.
  bool WaitFor(Mutex* mutex, int64_t micros) SIPPAR_TSA(no_thread_safety_analysis) {
    if (ThreadRuntime* runtime = ThreadRuntime::Current()) [[unlikely]]
      return runtime->Wait(this, mutex, std::max<int64_t>(micros, 0));
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    bool woken =
        condition_.wait_for(lock, std::chrono::microseconds(micros)) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }
  void NotifyOne() {
    if (ThreadRuntime* runtime = ThreadRuntime::Current()) [[unlikely]]
      return runtime->Notify(this, /*all=*/false);
    condition_.notify_one();
  }
  void NotifyAll() {
    if (ThreadRuntime* runtime = ThreadRuntime::Current()) [[unlikely]]
      return runtime->Notify(this, /*all=*/true);
    condition_.notify_all();
  }

 private:
  std::condition_variable condition_;
};

// Number of processors of this machine, or in a simulation of the simulated machine; at least 1.
size_t HardwareThreads();

// A joinable thread with a name, of which the OS shows 15 characters. The destructor joins it.
class Thread {
 public:
  Thread() = default;
  Thread(const std::string& name, std::function<void()> body);
  Thread(Thread&& other) noexcept
      : thread_(std::move(other.thread_)), simulated_(std::exchange(other.simulated_, 0)) {}
  Thread& operator=(Thread&& other) {
    Join();
    thread_ = std::move(other.thread_);
    simulated_ = std::exchange(other.simulated_, 0);
    return *this;
  }
  ~Thread() { Join(); }
  void Join() {
    if (simulated_ != 0) ThreadRuntime::Current()->Join(std::exchange(simulated_, 0));
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
  uint64_t simulated_ = 0;  // number that ThreadRuntime gave the thread; 0: not simulated
};

}  // namespace sippar::engine
