// Which tablets kept the processors busy, minute by minute: the CPU time of the process, shared out
// by what each tablet had to do (engine/read/tablet_work.h). Kept in memory alone. Thread safe.
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
  double cpu_percent = 0;  // of all processors, in this time
  bool operator==(const HotTablet&) const = default;
};

class HotTablets {
 public:
  // `processors` of this machine.
  explicit HotTablets(size_t processors) : processors_(processors) {}

  struct Work {
    std::string table;
    uint64_t tablet_id = 0;
    RowRange range;
    uint64_t nanos = 0;  // TabletWork, since it was opened
  };
  // What there was to do until now. `cpu_us`: of the process, since its start.
  void Sample(int64_t now_us, int64_t cpu_us, std::vector<Work> tablets);
  // Those that start within [start_us, end_us). Of a tablet that was hot for long, the hottest time
  // of each quarter of an hour.
  std::vector<HotTablet> List(int64_t start_us, int64_t end_us) const;

 private:
  const size_t processors_;
  mutable Mutex mutex_;
  int64_t sampled_us_ GUARDED_BY(mutex_) = 0;  // 0: not yet
  int64_t cpu_us_ GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, uint64_t> nanos_ GUARDED_BY(mutex_);  // by tablet
  std::deque<HotTablet> hot_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
