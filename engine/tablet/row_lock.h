// Row locks, striped over (tablet, row), with three modes:
//   kAlone    exclusive: for callers that read a row and then write it, from before the read until
//             the write is visible; also for all writes of a tablet that keeps changes
//   kShared   for writes that read nothing: the commit log orders them, and batches, which nearly
//             always have a stripe in common, need not wait for each other's syncs
//   kInOrder  shared, but only one holder at a time until its write has its place in the log: for
//             writes to which the server gives a time. So the times of a row rise in the order of
//             its sequence numbers, and its newest cells never come from a mix of two writes
// Several rows are locked in order of their stripes, so two batches cannot deadlock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "engine/base/call_notes.h"
#include "engine/base/checksum.h"
#include "engine/base/thread.h"

namespace sippar::engine {

class RowLock {
 public:
  enum Mode { kShared, kInOrder, kAlone };

  void Lock(Mode mode) {
    MutexLock lock(&mutex_);
    if (mode == kAlone) {
      ++waiting_;
      if (is_alone_ || sharers_ > 0) {
        StageTimer timer(&CallNotes::row_lock_nanos);
        while (is_alone_ || sharers_ > 0) freed_.Wait(&mutex_);
      }
      --waiting_;
      is_alone_ = true;
    } else {
      // If threads wait for exclusive use, waits until one of them has had its turn, not until none
      // is left: so neither mode starves the other.
      uint64_t turn = turns_;
      auto must_wait = [&]() REQUIRES(mutex_) {
        return is_alone_ || (waiting_ > 0 && turns_ == turn) || (mode == kInOrder && is_in_order_);
      };
      if (must_wait()) {
        StageTimer timer(&CallNotes::row_lock_nanos);
        while (must_wait()) freed_.Wait(&mutex_);
      }
      ++sharers_;
      is_in_order_ |= mode == kInOrder;
    }
  }
  // Called when the write that holds the lock in mode kInOrder has its place in the log. From then
  // on the write holds it in mode kShared.
  void HasPlace() {
    MutexLock lock(&mutex_);
    is_in_order_ = false;
    freed_.NotifyAll();
  }
  void Unlock(Mode mode) {
    MutexLock lock(&mutex_);
    if (mode == kAlone) {
      is_alone_ = false;
      ++turns_;
    } else {
      --sharers_;
    }
    if (sharers_ == 0) freed_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar freed_;
  uint32_t sharers_ GUARDED_BY(mutex_) = 0;
  uint32_t waiting_ GUARDED_BY(mutex_) = 0;  // threads waiting for exclusive use
  uint64_t turns_ GUARDED_BY(mutex_) = 0;    // number of exclusive uses that have ended
  bool is_alone_ GUARDED_BY(mutex_) = false;
  bool is_in_order_ GUARDED_BY(mutex_) = false;
};

class RowLocks {
 public:
  size_t StripeOf(uint64_t tablet_id, std::string_view row) const {
    return Checksum(row, tablet_id) % kStripes;
  }
  RowLock* stripe(size_t index) { return &stripes_[index]; }
  // Returns once every lock held at the time of the call has been released.
  void WaitForHolders() {
    for (RowLock& stripe : stripes_) {
      stripe.Lock(RowLock::kAlone);
      stripe.Unlock(RowLock::kAlone);
    }
  }

 private:
  static constexpr size_t kStripes = 4096;
  std::array<RowLock, kStripes> stripes_;
};

// Holds the locks of the stripes (given in any order, duplicates allowed) for its lifetime.
class RowLockGuard {
 public:
  RowLockGuard(RowLocks* locks, std::vector<size_t> stripes, RowLock::Mode mode)
      : locks_(locks), stripes_(std::move(stripes)), mode_(mode) {
    std::sort(stripes_.begin(), stripes_.end());
    stripes_.erase(std::unique(stripes_.begin(), stripes_.end()), stripes_.end());
    for (size_t stripe : stripes_) locks_->stripe(stripe)->Lock(mode_);
  }
  ~RowLockGuard() {
    HasPlace();
    for (size_t stripe : stripes_) locks_->stripe(stripe)->Unlock(mode_);
  }
  // In mode kInOrder, the first call changes the mode to kShared (RowLock::HasPlace). Other calls
  // do nothing.
  void HasPlace() {
    if (mode_ != RowLock::kInOrder) return;
    mode_ = RowLock::kShared;
    for (size_t stripe : stripes_) locks_->stripe(stripe)->HasPlace();
  }
  RowLockGuard(const RowLockGuard&) = delete;
  RowLockGuard& operator=(const RowLockGuard&) = delete;

 private:
  RowLocks* const locks_;
  std::vector<size_t> stripes_;
  RowLock::Mode mode_;
};

// Holds the lock of one row for its lifetime.
class OneRowLock {
 public:
  OneRowLock(RowLocks* locks, uint64_t tablet_id, std::string_view row, RowLock::Mode mode)
      : lock_(locks->stripe(locks->StripeOf(tablet_id, row))), mode_(mode) {
    lock_->Lock(mode_);
  }
  ~OneRowLock() {
    HasPlace();
    lock_->Unlock(mode_);
  }
  // In mode kInOrder, the first call changes the mode to kShared (RowLock::HasPlace). Other calls
  // do nothing.
  void HasPlace() {
    if (mode_ != RowLock::kInOrder) return;
    mode_ = RowLock::kShared;
    lock_->HasPlace();
  }
  OneRowLock(const OneRowLock&) = delete;
  OneRowLock& operator=(const OneRowLock&) = delete;

 private:
  RowLock* const lock_;
  RowLock::Mode mode_;
};

}  // namespace sippar::engine
