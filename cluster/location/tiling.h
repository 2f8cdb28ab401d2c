// Checks whether a table's records tile its rows, for scrubs, tests and a new master. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/api/tablet_record.h"

namespace sippar::cluster {

struct TilingFault {
  enum Kind : uint8_t {
    kHole,     // rows that no tablet has: their data is lost
    kOverlap,  // rows that two tablets claim, which may give different answers
    // A split that is committed but not yet written as two records: harmless, because the next
    // reader of METADATA finishes it.
    kUnfinishedSplit,
    kUnfinishedMerge,  // committed merge whose left record is not yet erased: also harmless
  };
  Kind kind = kHole;
  engine::RowRange rows;
  uint64_t tablet_id = 0;  // the tablet at fault or the first one after a hole; 0: hole at the end
  bool operator==(const TilingFault&) const = default;
};

// Returns the faults in the records of one table, which are given in key order as stored. Every
// table, METADATA included, must have tablets for all rows.
std::vector<TilingFault> CheckTiling(const std::vector<TabletRecord>& records);

// True if `record` was merged into `right`: after the commit of the merge, the rows of `right`
// contain those of `record`, which is still to be erased. The tablet that a merge makes has an
// epoch above those of both.
bool IsMergedAway(const TabletRecord& record, const TabletRecord& right);

}  // namespace sippar::cluster
