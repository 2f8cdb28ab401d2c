// Which runs of a locality group to merge next: a pure choice, with its reason (paper section 5.4).
// A run is the output of one flush or compaction: files with disjoint keys. Runs are in order of
// age, so only neighbours may be merged: an input set that reaches back to the oldest run may drop
// garbage and tombstones, another may not. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sippar::engine {

struct RunInfo {
  uint64_t size_bytes = 0;
  uint64_t tombstones = 0;
  uint64_t entries = 0;
  int64_t made_us = 0;      // no write in it that a major compaction has not seen is older
  bool major = false;       // made by a major compaction: nothing deleted is left in it
  int64_t time_min_us = 0;  // oldest cell
  uint64_t run_id = 0;
  bool busy = false;  // input of a running compaction
};

enum class CompactionKind : uint8_t { kMinor, kMerging, kMajor };
const char* CompactionKindName(CompactionKind kind);

struct CompactionChoice {
  size_t first = 0;  // inputs are runs [first, limit), oldest first
  size_t limit = 0;
  std::string reason;
  bool may_join = false;  // only the number of runs matters: files that do not overlap may stay
  double urgency = 0;     // of two groups the greater goes first
  // Reads and writes suffer until it is done. Otherwise it may be slow: see RateLimiter.
  bool is_debt = false;
};

struct CompactionPolicyOptions {
  size_t runs_max = 8;      // bounds what a read merges
  size_t tier_width = 4;    // this many runs of like size become one
  double size_ratio = 1.5;  // "like": at most this much larger than all newer inputs together
  int64_t now_us = 0;
  // What was deleted this long ago, or has been garbage for so long, leaves the disk with the next
  // compaction; 0 = no such limit.
  int64_t cycle_us = 0;
  int64_t expire_after_us = 0;  // smallest age at which a GC rule of the group drops; 0 = none
};

// nullopt: nothing to do. `runs` oldest first. Runs that are busy, and those older than one, are
// left alone, so choices of one group that run at the same time are disjoint.
std::optional<CompactionChoice> ChooseCompaction(const std::vector<RunInfo>& runs,
                                                 const CompactionPolicyOptions& options = {});

// Since when the runs may hold something that only a major compaction removes; nullopt = they
// don't.
std::optional<int64_t> GarbageSince(const std::vector<RunInfo>& runs,
                                    const CompactionPolicyOptions& options);

}  // namespace sippar::engine
