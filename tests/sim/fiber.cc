// Stacks of fibers and switches between them.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/fiber.h"

#include <sys/mman.h>

#include <vector>

#include "engine/base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#define SIM_ASAN 1
#else
#define SIM_ASAN 0
#endif

namespace sippar::sim {
namespace {
constexpr size_t kStackSize = (SIM_ASAN ? 1024 : 256) << 10;
constexpr size_t kGuardSize = 4096;  // an overflow ends the process instead of going unnoticed

std::vector<char*> free_stacks;
Fiber* switched_from = nullptr;
}  // namespace

char* Fiber::TakeStack() {
  if (!free_stacks.empty()) {
    char* stack = free_stacks.back();
    free_stacks.pop_back();
    return stack;
  }
  void* memory = mmap(nullptr, kGuardSize + kStackSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  CHECK(memory != MAP_FAILED);
  CHECK(mprotect(memory, kGuardSize, PROT_NONE) == 0);
  return static_cast<char*>(memory) + kGuardSize;
}

Fiber::Fiber(void (*entry)()) : stack_(TakeStack()) {
#if SIM_ASAN
  // The frames of the stack's last user never returned.
  __asan_unpoison_memory_region(stack_, kStackSize);
#endif
  bottom_ = stack_;
  size_ = kStackSize;
  CHECK(getcontext(&context_) == 0);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = kStackSize;
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
}

Fiber::~Fiber() {
  if (stack_ != nullptr) free_stacks.push_back(stack_);
}

void Fiber::Abandon() {
#if SIM_ASAN
  // LeakSanitizer must not report what the abandoned frames still point to.
  __lsan_register_root_region(stack_, kStackSize);
#endif
  stack_ = nullptr;
}

void Fiber::Switch(Fiber* from, Fiber* to) {
  switched_from = from;
#if SIM_ASAN
  __sanitizer_start_switch_fiber(&from->fake_stack_, to->bottom_, to->size_);
#endif
  CHECK(swapcontext(&from->context_, &to->context_) == 0);
  Arrived(from->fake_stack_);
}

void Fiber::Entered() { Arrived(nullptr); }

void Fiber::Arrived(void* fake_stack) {
#if SIM_ASAN
  const void* bottom = nullptr;
  size_t size = 0;
  __sanitizer_finish_switch_fiber(fake_stack, &bottom, &size);
  // bottom_ is null for the thread's own stack, whose bounds only ASan knows.
  if (switched_from->bottom_ == nullptr) {
    switched_from->bottom_ = bottom;
    switched_from->size_ = size;
  }
#else
  static_cast<void>(fake_stack);
#endif
}

}  // namespace sippar::sim
