// Fiber: a stack of its own and the switch to it (ucontext), with the calls that AddressSanitizer
// needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace sippar::sim {

class Fiber {
 public:
  // The thread's own stack: the first switch leaves it, and the last switch returns to it.
  Fiber() = default;
  // Runs `entry` on a fresh stack; `entry` must never return.
  explicit Fiber(void (*entry)());
  // Makes the stack available for other fibers. Requires: the fiber is not running and never will
  // run again.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Keeps the stack from being used again, because pointers to its unfinished frames may remain.
  void Abandon();

  // Switches from the running fiber `from` to `to`; returns when another fiber switches back to
  // `from`.
  static void Switch(Fiber* from, Fiber* to);
  // Must be the first call in `entry`.
  static void Entered();

 private:
  static char* TakeStack();
  static void Arrived(void* fake_stack);

  ucontext_t context_{};
  char* stack_ = nullptr;  // null: the thread's own stack, or an abandoned fiber
  const void* bottom_ = nullptr;
  size_t size_ = 0;
  void* fake_stack_ = nullptr;  // used by ASan
};

}  // namespace sippar::sim
