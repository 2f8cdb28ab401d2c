// Chooses which runs of a locality group to merge next, with a reason: a pure function (paper
// section 5.4). A run is the output of one flush or compaction: files with disjoint keys. Runs are
// ordered by age, so only neighbours may be merged. Only a set of inputs that includes the oldest
// run may drop tombstones and what GC rules remove (VisibilityMode).
// SPDX-License-Identifier: Apache-2.0
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
  int64_t made_us = 0;      // no delete or garbage in the run is older than this (tablet_state.h)
  bool major = false;       // true: a major compaction made the run and left no garbage in it
  int64_t time_min_us = 0;  // time of the oldest cell
  uint64_t run_id = 0;
  bool busy = false;  // the run is an input of a running compaction
};

enum class CompactionKind : uint8_t { kMinor, kMerging, kMajor };
const char* CompactionKindName(CompactionKind kind);

struct CompactionChoice {
  size_t first = 0;  // inputs are runs [first, limit), oldest first
  size_t limit = 0;
  std::string reason;
  // True if the purpose is only to reduce the number of runs. If no two input files overlap, they
  // may then become one run as they are, without being rewritten.
  bool may_join = false;
  double urgency = 0;  // the group with the greater urgency goes first
  // True if reads and writes are slower until the compaction is done. Otherwise the RateLimiter may
  // slow it down.
  bool is_debt = false;
};

struct CompactionPolicyOptions {
  size_t runs_max = 8;    // most runs that a group should have, since each read merges them
  size_t tier_width = 4;  // number of runs of like size that are merged into one
  // A run is of like size if it is at most size_ratio times as large as all newer inputs together.
  double size_ratio = 1.5;
  int64_t now_us = 0;
  // Data that was deleted, or became garbage, this long ago leaves the disk with the next
  // compaction; 0: no such limit.
  int64_t cycle_us = 0;
  // Smallest age at which a GC rule of the group drops a cell; 0: no rule drops by age.
  int64_t expire_after_us = 0;
};

// The next compaction of `runs`, which are sorted oldest first; nullopt: none is needed. Never
// chooses a busy run or a run older than a busy one, so concurrent choices for one group are
// disjoint.
std::optional<CompactionChoice> ChooseCompaction(const std::vector<RunInfo>& runs,
                                                 const CompactionPolicyOptions& options = {});

// The time since which the runs may hold garbage that only a major compaction removes; nullopt:
// they hold none.
std::optional<int64_t> GarbageSince(const std::vector<RunInfo>& runs,
                                    const CompactionPolicyOptions& options);

}  // namespace sippar::engine
