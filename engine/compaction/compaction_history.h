// The running compactions and the last ones that ended, for SHOW COMPACTIONS. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"
#include "engine/compaction/compaction_policy.h"

namespace sippar::engine {

struct CompactionRecord {
  std::string table;
  uint64_t tablet_id = 0;
  std::string group;
  CompactionKind kind = CompactionKind::kMinor;
  std::string reason;
  uint64_t inputs = 0;  // number of runs or memtables merged
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  int64_t started_us = 0;
  int64_t duration_us = 0;         // duration; of a running compaction: duration so far
  std::string status = "running";  // when ended: "done", or the error
};

class CompactionHistory {
 public:
  explicit CompactionHistory(Clock* clock) : clock_(clock) {}

  // Sets the record's start time and returns the id for End().
  uint64_t Begin(CompactionRecord record);
  void End(uint64_t id, const Status& status, uint64_t bytes_out);
  std::vector<CompactionRecord> List() const;  // oldest first, running ones last

 private:
  static constexpr size_t kKept = 100;
  Clock* const clock_;
  mutable Mutex mutex_;
  uint64_t next_id_ GUARDED_BY(mutex_) = 1;
  std::map<uint64_t, CompactionRecord> running_ GUARDED_BY(mutex_);
  std::deque<CompactionRecord> ended_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
