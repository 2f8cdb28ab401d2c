// The changes of one tablet that no archive file holds yet: the bodies of its log records after the
// redo point, in the order of the log. A change is added when it becomes visible, after the log's
// sync and fence check, and is dropped once a flush has written it to a file (change_file.h).
// Without a change stream, a write only tests one flag. Thread safe.
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
  // Begins to keep changes, from this sequence number on; does nothing if the tail keeps them
  // already.
  void Keep(uint64_t next_sequence);
  int64_t Stop();  // stops keeping changes; returns the bytes freed

  // A write in flight: its commit time is taken, but its change is not in the tail yet. It holds
  // back the low watermark, so that no reader takes the changes up to that time for complete.
  class Flight {
   public:
    Flight() = default;
    ~Flight() { Land(); }
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;
    // Takes the commit time: the present time, or `least_us` if that is later.
    int64_t TakeOff(ChangeTail* tail, Clock* clock, int64_t least_us);

   private:
    void Land();
    ChangeTail* tail_ = nullptr;
    std::multiset<int64_t>::iterator at_;
  };

  // Adds a change. Sequence numbers rise without gaps; `body` is that of the log record.
  void Add(std::string body);

  struct View {
    std::vector<TailRecord> records;
    uint64_t begin = 0;     // first sequence number in the tail; files have the older ones
    uint64_t end = 0;       // sequence number after the last one that this view covers
    bool is_whole = false;  // true: the tail has no later records
    // If is_whole: a lower bound of the commit times of all changes that are added later.
    int64_t low_watermark_us = 0;
  };
  // The records after `sequence`, about `bytes_max` bytes of them.
  View After(uint64_t sequence, size_t bytes_max, Clock* clock) const;
  // Waits until there is a record after `sequence`, at most `wait_us`. May return earlier.
  void WaitBeyond(uint64_t sequence, int64_t wait_us) const;

  // For a flush: Through returns the records up to `sequence`; Drop removes them and returns the
  // bytes freed.
  std::vector<TailRecord> Through(uint64_t sequence) const;
  int64_t Drop(uint64_t sequence);

 private:
  std::atomic<bool> kept_{false};
  mutable Mutex mutex_;
  mutable CondVar added_;
  mutable size_t waiting_ GUARDED_BY(mutex_) = 0;
  std::deque<TailRecord> records_ GUARDED_BY(mutex_);
  uint64_t begin_ GUARDED_BY(mutex_) = 0;
  uint64_t end_ GUARDED_BY(mutex_) = 0;  // the next sequence number
  std::multiset<int64_t> flights_ GUARDED_BY(mutex_);
};

// Approximate memory of a record.
int64_t TailBytes(size_t body_size);

}  // namespace sippar::engine
