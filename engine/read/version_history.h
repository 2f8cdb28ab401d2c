// Decides which versions of one column still exist: the core of deletes and garbage collection.
// Pure.
//
// A GC rule acts at once after every mutation, and what it drops never comes back. So no answer
// depends on when a compaction ran: deleting the newest version of a VERSIONS 1 family does not
// bring an older one back, and a put that arrives after such a delete is visible whatever its
// timestamp. When no delete of a time range touches the column, this is the same as ranking the
// versions newest first; with such deletes the column's history is replayed. Deletes of the whole
// column, family or row need no replay: everything before them is gone, so the caller leaves those
// versions out.
//
// ALTER may replace a rule. A delete acts on the versions that the rule of its own time had left.
// Under the rule of today alone, VERSIONS 1 would first drop the older of two versions, and a
// delete of the newer one, made before the rule, would then leave nothing. The new rule acts on
// everything that is still stored when it comes into force, so a more generous rule may bring back
// versions that the earlier one hid and no compaction has removed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/model/cell_key.h"
#include "engine/read/family_rule.h"

namespace sippar::engine {

// A version, without its value.
struct Version {
  int64_t timestamp_us = 0;
  uint64_t sequence = 0;
  bool operator==(const Version&) const = default;
};

// A delete of a time range in the column.
struct RangeDelete {
  uint64_t sequence = 0;
  ColumnDelete what;
};

// The surviving versions, newest timestamp first, of `puts` and `deletes` (in any order), all newer
// than the last delete of the whole column. Age rules are monotone in time, and ranks only grow
// between two deletes; so applying the rule right before each delete, at that delete's wall clock,
// and once at `now_us` (if rule.acts_at_end) equals applying it after every mutation.
std::vector<Version> ReplayVersions(std::vector<Version> puts, std::vector<RangeDelete> deletes,
                                    const FamilyRule& rule, int64_t now_us);

}  // namespace sippar::engine
