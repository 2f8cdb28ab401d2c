// A second stack for the signal handlers of a thread. Without it, no handler could run in a thread
// whose own stack has overflowed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstddef>

namespace sippar::engine {

// Gives this thread a stack for its handlers with SA_ONSTACK until the object is destroyed. The
// object contains that stack and belongs into the frame of the thread's first function: a stack
// overflows at its other end. Does nothing if the thread has such a stack already, as under a
// sanitizer. Used by one thread.
class SignalStack {
 public:
  SignalStack() {
    stack_t stack = {};
    if (::sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) return;
    stack = {};
    stack.ss_sp = bytes_;
    stack.ss_size = sizeof(bytes_);
    is_set_ = ::sigaltstack(&stack, nullptr) == 0;
  }
  ~SignalStack() {
    if (!is_set_) return;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  bool is_set_ = false;
  // The kernel puts all registers there, up to 11 KiB on processors with AMX. Not initialized, so
  // that its pages are not touched before a handler runs.
  std::byte bytes_[16 << 10];
};

}  // namespace sippar::engine
