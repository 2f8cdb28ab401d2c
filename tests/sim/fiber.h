// A stack of its own and the switch to it (ucontext), with what AddressSanitizer has to be told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace sippar::sim {

class Fiber {
 public:
  // The thread's own stack: where a switch comes from first and goes back to last.
  Fiber() = default;
  // On a fresh stack; `entry` must never return.
  explicit Fiber(void (*entry)());
  // Its stack is used again. Requires: it is not running, and never will.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The stack is not used again: frames that never end may still be pointed to.
  void Abandon();

  // From the running fiber `from` to `to`; returns when somebody switches back to `from`.
  static void Switch(Fiber* from, Fiber* to);
  // First thing in `entry`.
  static void Entered();

 private:
  static char* TakeStack();
  static void Arrived(void* fake_stack);

  ucontext_t context_{};
  char* stack_ = nullptr;  // null: the thread's, or abandoned
  const void* bottom_ = nullptr;
  size_t size_ = 0;
  void* fake_stack_ = nullptr;  // ASan's
};

}  // namespace sippar::sim
