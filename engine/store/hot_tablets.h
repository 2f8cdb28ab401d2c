// Which tablets kept the processors busy, minute by minute: the CPU time of the process, divided
// among tablets by the work that each had (engine/read/tablet_work.h). Kept in memory only. Thread
// safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "engine/base/thread.h"
#include "engine/model/row_set.h"

namespace sippar::engine {

struct HotTablet {
  std::string table;
  uint64_t tablet_id = 0;
  RowRange range;
  int64_t start_us = 0;
  int64_t end_us = 0;
  double cpu_percent = 0;  // share of all processors during this time
  bool operator==(const HotTablet&) const = default;
};

class HotTablets {
 public:
  // `processors`: the number this machine has.
  explicit HotTablets(size_t processors) : processors_(processors) {}

  struct Work {
    std::string table;
    uint64_t tablet_id = 0;
    RowRange range;
    uint64_t nanos = 0;  // TabletWork's estimate since the tablet was opened
  };
  // Divides the CPU time since the last call among the tablets. `cpu_us`: CPU time of the process
  // since its start.
  void Sample(int64_t now_us, int64_t cpu_us, std::vector<Work> tablets);
  // The samples that start within [start_us, end_us). For a tablet that was hot for long, only the
  // hottest sample of each quarter of an hour.
  std::vector<HotTablet> List(int64_t start_us, int64_t end_us) const;

 private:
  const size_t processors_;
  mutable Mutex mutex_;
  int64_t sampled_us_ GUARDED_BY(mutex_) = 0;  // time of the last sample; 0: none yet
  int64_t cpu_us_ GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, uint64_t> nanos_ GUARDED_BY(mutex_);  // work at the last sample, by tablet id
  std::deque<HotTablet> hot_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
