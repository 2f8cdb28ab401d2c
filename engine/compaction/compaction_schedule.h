// Which group of which tablet is compacted next, and how far behind compactions are: pure. Threads
// that ask and act are in the store. SPDX-License-Identifier: Apache-2.0
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
  int64_t expire_after_us = 0;  // as in CompactionPolicyOptions
  int64_t retry_at_us = 0;      // it failed: not before this time
};

struct ScheduledCompaction {
  size_t candidate = 0;
  CompactionChoice choice;
  uint64_t bytes_in = 0;
};

// Work of more bytes is large: with two threads only one of them takes it, so that the small merges
// that bound reads never wait behind it.
inline constexpr uint64_t kLargeCompaction = 256 << 20;

// The most urgent of what may run now: the greatest urgency, then the fewest bytes, then order.
// `options` are the policy's, without what a candidate brings.
std::optional<ScheduledCompaction> ScheduleCompaction(
    const std::vector<CompactionCandidate>& candidates, const CompactionPolicyOptions& options,
    bool large_allowed);

// The most runs that a group has: what writers slow down for. A group whose compactions fail does
// not count, since waiting does not help it.
uint64_t MostRuns(const std::vector<CompactionCandidate>& candidates);

// After the n-th failure in a row: 1 s, 2 s, 4 s, ... 64 s.
int64_t CompactionBackoffMicros(uint64_t failures);

}  // namespace sippar::engine
