// Do a table's records tile its rows? For scrubs, tests and a master that takes over. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/api/tablet_record.h"

namespace sippar::cluster {

struct TilingFault {
  enum Kind : uint8_t {
    kHole,             // rows that no tablet has: lost data
    kOverlap,          // rows of two tablets: two truths
    kUnfinishedSplit,  // committed, not yet two records: no harm, somebody finishes it
    kUnfinishedMerge,  // committed, `left` not yet erased: no harm either
  };
  Kind kind = kHole;
  engine::RowRange rows;
  uint64_t tablet_id = 0;  // of the record at or behind the place; 0: behind the last
  bool operator==(const TilingFault&) const = default;
};

// Of one table, in key order, as stored. The range a table has is all rows; METADATA's, too.
std::vector<TilingFault> CheckTiling(const std::vector<TabletRecord>& records);

// A merge that is committed shows by a record that lies in its right neighbour's rows.
bool IsMergedAway(const TabletRecord& record, const TabletRecord& right);

}  // namespace sippar::cluster
