// The seam for simulation: when a runtime is set, every Thread of the process is one of its fibers
// on a single OS thread, and locks, waits, sleeps and clocks (thread.h, clock.h) are asked from it.
// Production has none; there each call costs one predictable branch. Set before the first use of
// any of them, and never while a real thread runs. SPDX-License-Identifier: Apache-2.0
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

  // Locks and conditions are known by their addresses.
  virtual void Lock(const void* mutex) = 0;
  virtual void Unlock(const void* mutex) = 0;
  // Gives `mutex` back, waits and takes it again. False when `micros` passed without a wake-up;
  // below zero it waits for ever.
  virtual bool Wait(const void* condition, const void* mutex, int64_t micros) = 0;
  virtual void Notify(const void* condition, bool all) = 0;
  // The number of the new thread, never 0.
  virtual uint64_t Start(const std::string& name, std::function<void()> body) = 0;
  virtual void Join(uint64_t thread) = 0;
  virtual size_t HardwareThreads() = 0;
  // Of the machine that the running thread belongs to.
  virtual Clock* MachineClock() = 0;

 private:
  static inline ThreadRuntime* current_ = nullptr;
};

}  // namespace sippar::engine
