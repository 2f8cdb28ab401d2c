// Checks whether a table's records tile its rows, for clients that read all of them and for the
// checks of a start (node/picture_proof.h). Pure.
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
    // A split that is committed but not yet written as two records: harmless, because the next Scan
    // or Find of MetadataTable finishes it.
    kUnfinishedSplit,
    kUnfinishedMerge,  // committed merge whose left record is not yet erased: also harmless
  };
  Kind kind = kHole;
  engine::RowRange rows;
  uint64_t tablet_id = 0;  // the tablet at fault or the first one after a hole; 0: hole at the end
  bool operator==(const TilingFault&) const = default;
};

// Returns the faults in the records of one table, which are given in key order as stored. Every
// table, METADATA included, must have tablets for all rows. If the records changed while they were
// read, a hole or an overlap may exist only in what was read.
std::vector<TilingFault> CheckTiling(const std::vector<TabletRecord>& records);

// True if `record` was merged into `right`: after the commit of the merge, the rows of `right`
// contain those of `record`, which is still to be erased. The tablet that a merge makes has an
// epoch above those of both.
bool IsMergedAway(const TabletRecord& record, const TabletRecord& right);

}  // namespace sippar::cluster
