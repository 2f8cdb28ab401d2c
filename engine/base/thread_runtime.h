// The interface to a simulation. When a runtime is set, it runs every Thread of the process as a
// fiber on one OS thread, and locks, waits, sleeps and clocks (thread.h, clock.h) call it.
// Production sets none and pays one predictable branch per call. Set it before the first use of any
// of these, and never while a real thread runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace sippar::engine {

class Clock;

class ThreadRuntime {
 public:
  virtual ~ThreadRuntime() = default;
  static ThreadRuntime* Current() { return current_; }
  static void Set(ThreadRuntime* runtime) { current_ = runtime; }

  // Locks and conditions are identified by their addresses.
  virtual void Lock(const void* mutex) = 0;
  virtual void Unlock(const void* mutex) = 0;
  // Releases `mutex`, waits, and takes it again. Returns false when `micros` passed without a
  // wake-up; a negative value waits without limit.
  virtual bool Wait(const void* condition, const void* mutex, int64_t micros) = 0;
  virtual void Notify(const void* condition, bool all) = 0;
  // Returns the number of the new thread, never 0.
  virtual uint64_t Start(const std::string& name, std::function<void()> body) = 0;
  virtual void Join(uint64_t thread) = 0;
  virtual size_t HardwareThreads() = 0;
  // 64 random bits that the seed of the simulation determines.
  virtual uint64_t Entropy() = 0;
  // The clock of the simulated machine that the running thread belongs to.
  virtual Clock* MachineClock() = 0;

 private:
  static inline ThreadRuntime* current_ = nullptr;
};

}  // namespace sippar::engine
