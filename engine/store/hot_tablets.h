// Which tablets kept the processors busy, minute by minute: the CPU time that was used for the
// tablets (StoreOptions::counts_own_cpu), divided among them in proportion to their work
// (engine/read/tablet_work.h). Kept in memory only. Thread safe.
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
  // `processors`: the number of processors of this machine.
  explicit HotTablets(size_t processors) : processors_(processors) {}

  struct Work {
    std::string table;
    uint64_t tablet_id = 0;
    RowRange range;
    uint64_t nanos = 0;  // TabletWork's estimate since the tablet was opened
  };
  // Divides the CPU time since the last call among the tablets. `cpu_us`: CPU time for all
  // tablets since the start of the process.
  void Sample(int64_t now_us, int64_t cpu_us, std::vector<Work> tablets);
  // The samples that start within [start_us, end_us). Of the samples of one tablet within a quarter
  // of an hour, only the hottest is listed.
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
