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
};

struct CompactionChoice {
  size_t first = 0;  // inputs are runs [first, limit), oldest first
  size_t limit = 0;
  std::string reason;
  bool may_join = false;  // only the number of runs matters: files that do not overlap may stay
};

struct CompactionPolicyOptions {
  size_t runs_max = 8;      // bounds what a read merges
  size_t tier_width = 4;    // this many runs of like size become one
  double size_ratio = 1.5;  // "like": at most this much larger than all newer inputs together
};

// nullopt: nothing to do. `runs` oldest first.
std::optional<CompactionChoice> ChooseCompaction(const std::vector<RunInfo>& runs,
                                                 const CompactionPolicyOptions& options = {});

}  // namespace sippar::engine
