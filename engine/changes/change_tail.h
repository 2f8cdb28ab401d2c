// The changes of one tablet that no archive file has yet: the bodies of its log records from the
// redo point on, in the order of the log. They are put here when they become visible, so synced and
// fenced, and leave when a flush has written them to a file (change_file.h). A tablet whose table
// has no change stream pays one look at a flag for each write. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/thread.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

struct TailRecord {
  LogRecordHead head;  // `row` points into the body
  std::shared_ptr<const std::string> body;
};

class ChangeTail {
 public:
  bool is_kept() const { return kept_.load(std::memory_order_relaxed); }
  // From this number on, unless it is kept already.
  void Keep(uint64_t next_sequence);
  int64_t Stop();  // bytes freed

  // A write under way: its commit time is taken and it is not here yet, so nobody may be told that
  // all up to that time is.
  class Flight {
   public:
    Flight() = default;
    ~Flight() { Land(); }
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;
    // The commit time: now, not below `least_us`.
    int64_t TakeOff(ChangeTail* tail, Clock* clock, int64_t least_us);

   private:
    void Land();
    ChangeTail* tail_ = nullptr;
    std::multiset<int64_t>::iterator at_;
  };

  // Numbers rise without gaps. `body` as in the log.
  void Add(std::string body);

  struct View {
    std::vector<TailRecord> records;
    uint64_t begin = 0;            // of what the tail has; what is older is in files
    uint64_t end = 0;              // of what this view has looked at
    bool is_whole = false;         // there was no more
    int64_t low_watermark_us = 0;  // whole: no change that comes later is older
  };
  // What comes after a number, up to about so many bytes.
  View After(uint64_t sequence, size_t bytes_max, Clock* clock) const;
  // Waits until there is something, for so long at most.
  void WaitBeyond(uint64_t sequence, int64_t wait_us) const;

  // For a flush: what has numbers up to this; bytes freed.
  std::vector<TailRecord> Through(uint64_t sequence) const;
  int64_t Drop(uint64_t sequence);

 private:
  std::atomic<bool> kept_{false};
  mutable Mutex mutex_;
  mutable CondVar added_;
  mutable size_t waiting_ GUARDED_BY(mutex_) = 0;
  std::deque<TailRecord> records_ GUARDED_BY(mutex_);
  uint64_t begin_ GUARDED_BY(mutex_) = 0;
  uint64_t end_ GUARDED_BY(mutex_) = 0;  // the next number
  std::multiset<int64_t> flights_ GUARDED_BY(mutex_);
};

// What a record takes in memory, about.
int64_t TailBytes(size_t body_size);

}  // namespace sippar::engine
