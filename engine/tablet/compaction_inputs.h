// The runs that one compaction merges, and what is derived from them: size, age, the GC rules that
// may act, and the keys at which outputs are cut. Filled by RunClaims and TabletCompactor.
// SPDX-License-Identifier: Apache-2.0
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
#include "engine/read/family_rule.h"
#include "engine/tablet/tablet_version.h"

namespace sippar::engine {

// Summarizes a run for the compaction policy.
RunInfo DescribeRun(const TabletRun& run);

struct CompactionInputs {
  std::string group;
  std::vector<TabletRun> runs;         // neighbours in the group, oldest first
  bool from_oldest = false;            // the runs reach back to the first entry of the group
  std::optional<int64_t> whole_at_us;  // the runs hold all writes before this time
  // Every entry of the group outside the inputs is in an older run, or has this sequence or a later
  // one; 0: not known.
  uint64_t rest_from = 0;
  bool may_join = false;
  std::string reason;
  RateLimiter* limiter = nullptr;
  std::shared_ptr<const TableSchema> schema;
  std::shared_ptr<const FamilyRules> rules;
  const std::set<std::string>* families = nullptr;  // families to keep; null: all

  uint64_t StoredSize() const;
  // The `made_us` of the output run, unless the inputs hold all writes: that of the oldest input
  // that was not made by a major compaction, or of the first input if there is none.
  int64_t OldestMade() const;
  // Keys at which a new output file begins.
  [[nodiscard]] StatusOr<std::vector<std::string>> Boundaries() const;
  // The inputs as one run that names the same files; nullopt if two files overlap. So data that was
  // written in key order is never rewritten only to reduce the number of runs.
  std::optional<TabletRun> Joined() const;
  // The GC rules as this compaction may apply them. A rule acts only up to the last delete among
  // the inputs in two cases: it combines age and versions, so that what it drops depends on every
  // delete, and the inputs do not hold all writes (whole_at_us); or a delete outside the inputs may
  // have been made under an earlier rule, which kept more. It must act that far: otherwise, when
  // that delete's tombstone is gone, versions that the rule dropped before it would be visible
  // again.
  std::shared_ptr<const FamilyRules> ActingRules() const;
  // A sample of the inputs in [first, limit), from which the output's compression dictionary is
  // built.
  [[nodiscard]] StatusOr<std::string> Sample(std::string_view first, std::string_view limit) const;
};

}  // namespace sippar::engine
