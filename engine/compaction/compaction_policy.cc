// Compaction policy. SPDX-License-Identifier: Apache-2.0
#include "engine/compaction/compaction_policy.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::engine {

std::optional<CompactionChoice> ChooseCompaction(const std::vector<RunInfo>& runs,
                                                 const CompactionPolicyOptions& options) {
  if (runs.size() < 2) return std::nullopt;
  // 1. Newest runs of like size.
  size_t first = runs.size() - 1;
  uint64_t sum = runs[first].size_bytes;
  while (first > 0 && static_cast<double>(runs[first - 1].size_bytes) <=
                          options.size_ratio * static_cast<double>(sum)) {
    sum += runs[--first].size_bytes;
  }
  size_t like = runs.size() - first;
  if (like >= options.tier_width) {
    return CompactionChoice{first, runs.size(),
                            fmt::format("merging: {} runs of like size, {} bytes", like, sum),
                            true};
  }
  // 2. Too many runs: a read would merge them all.
  if (runs.size() > options.runs_max) {
    size_t excess = runs.size() - options.runs_max + 1;
    size_t width = std::min(runs.size(), std::max(excess, like));
    return CompactionChoice{
        runs.size() - width, runs.size(),
        fmt::format("merging: {} runs, at most {} are allowed", runs.size(), options.runs_max),
        true};
  }
  // 3. Tombstone-heavy oldest runs: half of the entries only say that others are gone.
  uint64_t tombstones = 0;
  uint64_t entries = 0;
  for (const RunInfo& run : runs) {
    tombstones += run.tombstones;
    entries += run.entries;
  }
  if (entries > 0 && tombstones * 2 > entries) {
    return CompactionChoice{
        0, runs.size(), fmt::format("major: {} of {} entries are tombstones", tombstones, entries)};
  }
  return std::nullopt;
}

}  // namespace sippar::engine
