// SPDX-License-Identifier: Apache-2.0
#include "engine/read/version_history.h"

#include <algorithm>
#include <functional>
#include <map>

namespace sippar::engine {
namespace {

using LiveVersions = std::map<int64_t, uint64_t, std::greater<>>;  // newest first

void Collect(const GcPolicy& policy, int64_t now_us, LiveVersions* live) {
  if (policy.kind == GcPolicy::kKeepAll) return;
  uint64_t rank = 0;
  for (auto version = live->begin(); version != live->end(); ++version) {
    if (policy.MayDrop(++rank, version->first, now_us)) {
      // Every older version has a higher rank and a higher age, so the rule drops it, too.
      live->erase(version, live->end());
      return;
    }
  }
}

void Erase(const TimeRange& time, LiveVersions* live) {
  // Versions are sorted newest first: the first candidate is the newest version below the range's
  // limit.
  auto version = time.limit_us == kTimeMax ? live->begin() : live->upper_bound(time.limit_us);
  while (version != live->end() && version->first >= time.start_us) {
    version = live->erase(version);
  }
}

}  // namespace

std::vector<Version> ReplayVersions(std::vector<Version> puts, std::vector<RangeDelete> deletes,
                                    const FamilyRule& rule, int64_t now_us) {
  auto by_sequence = [](const auto& a, const auto& b) { return a.sequence < b.sequence; };
  std::sort(puts.begin(), puts.end(), by_sequence);
  std::sort(deletes.begin(), deletes.end(), by_sequence);
  LiveVersions live;
  auto put = puts.begin();
  for (const RangeDelete& range_delete : deletes) {
    for (; put != puts.end() && put->sequence < range_delete.sequence; ++put) {
      live[put->timestamp_us] = put->sequence;
    }
    Collect(rule.At(range_delete.sequence), range_delete.what.wall_us, &live);
    Erase(range_delete.what.time, &live);
  }
  for (; put != puts.end(); ++put) live[put->timestamp_us] = put->sequence;
  if (rule.acts_at_end) Collect(rule.gc, now_us, &live);
  std::vector<Version> survivors;
  for (auto [timestamp_us, sequence] : live) survivors.push_back({timestamp_us, sequence});
  return survivors;
}

}  // namespace sippar::engine
