// Row locks: striped mutexes over (tablet, row). Held from before a read-modify-write reads until
// its write is visible, and by every other write of the row too. Several rows are locked in order
// of stripe, so two batches cannot wait for each other. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "engine/base/checksum.h"
#include "engine/base/thread.h"

namespace sippar::engine {

class RowLocks {
 public:
  size_t StripeOf(uint64_t tablet_id, std::string_view row) const {
    return Checksum(row, tablet_id) % kStripes;
  }
  Mutex* stripe(size_t index) { return &stripes_[index]; }
  // Returns when everybody who held a lock at the call has given it back.
  void WaitForHolders() {
    for (Mutex& stripe : stripes_) MutexLock lock(&stripe);
  }
  Mutex* MutexOf(uint64_t tablet_id, std::string_view row) {
    return stripe(StripeOf(tablet_id, row));
  }

 private:
  static constexpr size_t kStripes = 4096;
  std::array<Mutex, kStripes> stripes_;
};

// Locks the stripes (any order, duplicates allowed) for its lifetime.
class RowLockGuard {
 public:
  RowLockGuard(RowLocks* locks, std::vector<size_t> stripes) SIPPAR_TSA(no_thread_safety_analysis)
      : locks_(locks), stripes_(std::move(stripes)) {
    std::sort(stripes_.begin(), stripes_.end());
    stripes_.erase(std::unique(stripes_.begin(), stripes_.end()), stripes_.end());
    for (size_t stripe : stripes_) locks_->stripe(stripe)->Lock();
  }
  ~RowLockGuard() SIPPAR_TSA(no_thread_safety_analysis) {
    for (size_t stripe : stripes_) locks_->stripe(stripe)->Unlock();
  }
  RowLockGuard(const RowLockGuard&) = delete;
  RowLockGuard& operator=(const RowLockGuard&) = delete;

 private:
  RowLocks* locks_;
  std::vector<size_t> stripes_;
};

}  // namespace sippar::engine
