// The runs that a compaction merges and what surrounds them: sizes, ages, rules, where outputs are
// cut. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compaction/compaction_policy.h"
#include "engine/compaction/rate_limiter.h"
#include "engine/model/schema.h"
#include "engine/read/visibility_iterator.h"
#include "engine/tablet/tablet_version.h"

namespace sippar::engine {

// What the policy sees of a run.
RunInfo DescribeRun(const TabletRun& run);

struct CompactionInputs {
  std::string group;
  std::vector<TabletRun> runs;         // oldest first, neighbours
  bool from_oldest = false;            // they reach back to the first entry of the group
  std::optional<int64_t> whole_at_us;  // they hold all that arrived before this time
  bool may_join = false;
  std::string reason;
  RateLimiter* limiter = nullptr;
  std::shared_ptr<const TableSchema> schema;
  std::shared_ptr<const FamilyRules> rules;
  const std::set<std::string>* families = nullptr;  // only these; null: all

  uint64_t StoredSize() const;
  // Of a run that holds all that the inputs held: as old as the oldest of them that is not clean.
  int64_t OldestMade() const;
  // Keys at which a new output begins.
  [[nodiscard]] StatusOr<std::vector<std::string>> Boundaries() const;
  // The runs as one, without a byte copied, when no two files overlap: what is written in key order
  // is never written again for its order alone.
  std::optional<TabletRun> Joined() const;
  // A rule that a delete outside of the inputs could still soften acts up to the last delete inside
  // only: what it let go by then would come back with that delete's tombstone gone.
  std::shared_ptr<const FamilyRules> ActingRules() const;
  // For the dictionary of the output that holds [first, limit).
  [[nodiscard]] StatusOr<std::string> Sample(std::string_view first, std::string_view limit) const;
};

}  // namespace sippar::engine
