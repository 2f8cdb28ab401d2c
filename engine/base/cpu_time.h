// CPU time, user and system: of this process, and of threads while they do one kind of work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <list>

#include "engine/base/thread.h"

namespace sippar::engine {

// Microseconds that this process has used so far.
int64_t ProcessCpuMicros();

// Sums what the scopes below measure. Thread safe.
class CpuCount {
 public:
  // The scopes that have ended, and those of kEach that are still open.
  int64_t Micros() const;

 private:
  friend class CpuScope;
  struct Open {
    clockid_t clock;  // of the scope's thread
    int64_t start_nanos;
  };
  std::list<Open>::iterator Begin();
  void End(std::list<Open>::iterator open);
  void Add(int64_t nanos);

  mutable Mutex mutex_;
  int64_t ended_nanos_ GUARDED_BY(mutex_) = 0;
  std::list<Open> open_ GUARDED_BY(mutex_);
};

// Counts the CPU time of this thread until the scope ends. Scopes are not nested; an inner one
// would count its time twice.
class CpuScope {
 public:
  // The clock of a thread is a call of the system (0.2 us on bare Linux, 2 us in some sandboxes).
  // Work of microseconds shall not pay for it, so kOneInMany measures one scope of so many and
  // counts it for all; that is right on average if no scope is much longer than the others. kEach
  // measures every scope.
  enum Counting : uint8_t { kEach, kOneInMany };

  // `count` outlives the scope; null: nothing is counted.
  CpuScope(CpuCount* count, Counting counting);
  ~CpuScope() {
    if (count_ != nullptr) End();
  }
  CpuScope(const CpuScope&) = delete;
  CpuScope& operator=(const CpuScope&) = delete;

 private:
  void End();

  CpuCount* count_;  // null: this scope measures nothing
  const Counting counting_;
  int64_t start_nanos_ = 0;                   // kOneInMany
  std::list<CpuCount::Open>::iterator open_;  // kEach
};

}  // namespace sippar::engine
