// What a read of a tablet needs to know about each family: its GC rule, and the sequence number at
// which it began.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "engine/model/cell.h"
#include "engine/model/gc_policy.h"

namespace sippar::engine {

// A family's rule in a tablet. Entries with a sequence below `birth` belong to an earlier family of
// that name.
struct FamilyRule {
  GcPolicy gc;
  uint64_t birth = 0;
  // After the last delete, the rule is applied as of the current time or this time, whichever is
  // earlier. A compaction that may not see all deletes sets 0 for a rule that combines age and
  // versions: such a rule then acts only up to the last delete among the inputs.
  int64_t acts_until_us = kTimeMax;
};
using FamilyRules = std::map<std::string, FamilyRule, std::less<>>;

}  // namespace sippar::engine
