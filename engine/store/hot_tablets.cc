// SPDX-License-Identifier: Apache-2.0
#include "engine/store/hot_tablets.h"

#include <algorithm>

namespace sippar::engine {
namespace {

// A tablet with a smaller share of all processors is not listed.
constexpr double kHotPercent = 10;
constexpr size_t kKeptMax = 10'000;  // most samples kept (a few MB); the oldest are dropped first
constexpr int64_t kQuarterMicros = int64_t{15} * 60 * 1'000'000;

}  // namespace

void HotTablets::Sample(int64_t now_us, int64_t cpu_us, std::vector<Work> tablets) {
  MutexLock lock(&mutex_);
  uint64_t total = 0;
  std::map<uint64_t, uint64_t> before = std::exchange(nanos_, {});
  for (Work& work : tablets) {
    nanos_[work.tablet_id] = work.nanos;
    // A tablet that was opened again starts counting at 0 and may be below its last sample.
    work.nanos -= std::min(work.nanos, before[work.tablet_id]);
    total += work.nanos;
  }
  const int64_t start_us = std::exchange(sampled_us_, now_us);
  const int64_t used_us = cpu_us - std::exchange(cpu_us_, cpu_us);
  // There is nothing to divide: this is the first sample, the clock was set back, or no tablet had
  // work.
  if (start_us == 0 || now_us <= start_us || total == 0) return;
  const double percent = std::min(100.0, 100.0 * static_cast<double>(used_us) /
                                             static_cast<double>(now_us - start_us) /
                                             static_cast<double>(processors_));
  for (Work& work : tablets) {
    double share = percent * static_cast<double>(work.nanos) / static_cast<double>(total);
    if (share < kHotPercent) continue;
    hot_.push_back(
        {std::move(work.table), work.tablet_id, std::move(work.range), start_us, now_us, share});
  }
  while (hot_.size() > kKeptMax) hot_.pop_front();
}

std::vector<HotTablet> HotTablets::List(int64_t start_us, int64_t end_us) const {
  // The key of the map is a quarter of an hour and a tablet id.
  std::map<std::pair<int64_t, uint64_t>, const HotTablet*> hottest;
  MutexLock lock(&mutex_);
  for (const HotTablet& hot : hot_) {
    if (hot.start_us < start_us || hot.start_us >= end_us) continue;
    const HotTablet*& kept = hottest[{hot.start_us / kQuarterMicros, hot.tablet_id}];
    if (kept == nullptr || hot.cpu_percent > kept->cpu_percent) kept = &hot;
  }
  std::vector<HotTablet> found;
  for (const auto& [key, hot] : hottest) found.push_back(*hot);
  return found;
}

}  // namespace sippar::engine
