// Chooses which locality group of which tablet is compacted next, and measures how far behind
// compactions are: pure functions. The threads that call them are in engine/store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/compaction/compaction_policy.h"

namespace sippar::engine {

struct CompactionCandidate {
  uint64_t tablet_id = 0;
  std::string group;
  std::vector<RunInfo> runs;    // oldest first
  int64_t expire_after_us = 0;  // age at which cells expire (CompactionPolicyOptions); 0: never
  int64_t retry_at_us = 0;      // after a failure: time of the next attempt; 0: no failure
};

struct ScheduledCompaction {
  size_t candidate = 0;
  CompactionChoice choice;
  uint64_t bytes_in = 0;
};

// A compaction of more than this many bytes is large. If two threads compact, only one runs large
// compactions, so that the small merges, which bound the cost of reads, never wait for a large one.
inline constexpr uint64_t kLargeCompaction = 256 << 20;

// The most urgent compaction that may run now: the greatest urgency, then the fewest bytes, then
// the first in order. expire_after_us in `options` is replaced by the candidate's.
std::optional<ScheduledCompaction> ScheduleCompaction(
    const std::vector<CompactionCandidate>& candidates, const CompactionPolicyOptions& options,
    bool large_allowed);

// The largest number of runs in any group. Writers are slowed down when it is high. Groups whose
// compactions fail are left out, since waiting does not help them.
uint64_t MostRuns(const std::vector<CompactionCandidate>& candidates);

// The pause after the n-th consecutive failure: 1 s, 2 s, 4 s, ... 64 s.
int64_t CompactionBackoffMicros(uint64_t failures);

}  // namespace sippar::engine
