// What a read of a tablet needs to know about each family: its GC rule, the rules before it, and
// the sequence number at which it began. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/model/gc_policy.h"

namespace sippar::engine {

// A rule that was replaced: entries with a sequence below `until` were written under it, if no
// earlier rule has them.
struct RuleBefore {
  uint64_t until = 0;
  GcPolicy gc;
};

// A family's rule in a tablet. Entries with a sequence below `birth` belong to an earlier family of
// that name.
struct FamilyRule {
  GcPolicy gc;
  uint64_t birth = 0;
  std::vector<RuleBefore> before = {};  // ascending
  // False in a compaction that may not see all deletes on which `gc` depends: the rule then acts
  // only up to the last delete among the inputs.
  bool acts_at_end = true;

  // Deletes with a lower sequence were made under an earlier rule.
  uint64_t Since() const { return before.empty() ? 0 : before.back().until; }
  // The rule in force when the entry with this sequence was written.
  const GcPolicy& At(uint64_t sequence) const {
    for (const RuleBefore& earlier : before) {
      if (sequence < earlier.until) return earlier.gc;
    }
    return gc;
  }
};
using FamilyRules = std::map<std::string, FamilyRule, std::less<>>;

}  // namespace sippar::engine
