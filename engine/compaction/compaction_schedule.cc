// SPDX-License-Identifier: Apache-2.0
#include "engine/compaction/compaction_schedule.h"

#include <algorithm>

namespace sippar::engine {

std::optional<ScheduledCompaction> ScheduleCompaction(
    const std::vector<CompactionCandidate>& candidates, const CompactionPolicyOptions& options,
    bool large_allowed) {
  std::optional<ScheduledCompaction> best;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const CompactionCandidate& candidate = candidates[i];
    if (candidate.retry_at_us > options.now_us) continue;
    CompactionPolicyOptions own = options;
    own.expire_after_us = candidate.expire_after_us;
    std::optional<CompactionChoice> choice = ChooseCompaction(candidate.runs, own);
    if (!choice.has_value()) continue;
    uint64_t bytes = 0;
    for (size_t run = choice->first; run < choice->limit; ++run) {
      bytes += candidate.runs[run].size_bytes;
    }
    // Another thread runs a large compaction; this thread looks for a smaller one.
    if (bytes > kLargeCompaction && !large_allowed) continue;
    // Of two equally urgent compactions the smaller goes first: reads gain from it sooner.
    bool better = !best.has_value() || choice->urgency > best->choice.urgency ||
                  (choice->urgency == best->choice.urgency && bytes < best->bytes_in);
    if (better) best = ScheduledCompaction{i, std::move(*choice), bytes};
  }
  return best;
}

uint64_t MostRuns(const std::vector<CompactionCandidate>& candidates) {
  size_t most = 0;
  for (const CompactionCandidate& candidate : candidates) {
    if (candidate.retry_at_us == 0) most = std::max(most, candidate.runs.size());
  }
  return most;
}

int64_t CompactionBackoffMicros(uint64_t failures) {
  return int64_t{1'000'000} << std::min<uint64_t>(failures == 0 ? 0 : failures - 1, 6);
}

}  // namespace sippar::engine
