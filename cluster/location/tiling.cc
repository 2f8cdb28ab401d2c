// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/tiling.h"

#include "cluster/location/meta_row.h"
#include "engine/base/seeded_bug.h"

namespace sippar::cluster {

bool IsMergedAway(const TabletRecord& record, const TabletRecord& right) {
  // The record of a split that is not finished has the rows of its left child, too. The child may
  // be merging with its own left neighbour, but its epoch is never below that of the split.
  return record.phase == TabletPhase::kMerging && record.table_id == right.table_id &&
         right.range.start <= record.range.start && !record.range.limit.empty() &&
         right.tablet_epoch > record.tablet_epoch;
}

std::vector<TilingFault> CheckTiling(const std::vector<TabletRecord>& records) {
  std::vector<TilingFault> faults;
  std::string covered;  // limit of the last record seen; "" before the first one
  bool all = false;     // the last record seen ends at the end of the table
  for (size_t i = 0; i < records.size(); ++i) {
    const TabletRecord& record = records[i];
    if (i + 1 < records.size() && IsMergedAway(record, records[i + 1])) {
      faults.push_back({TilingFault::kUnfinishedMerge, record.range, record.tablet_id});
      continue;
    }
    if (record.split) {
      faults.push_back({TilingFault::kUnfinishedSplit, record.range, record.tablet_id});
    }
    if (all || record.range.start < covered) {
      faults.push_back({TilingFault::kOverlap, {record.range.start, covered}, record.tablet_id});
    } else if (record.range.start > covered) {
      faults.push_back({TilingFault::kHole, {covered, record.range.start}, record.tablet_id});
    }
    covered = record.range.limit;
    all = covered.empty();
  }
  if (!all) faults.push_back({TilingFault::kHole, {covered, ""}, 0});
  return faults;
}

bool ScanBorder::MustReadAgain(const TabletRecord& record) {
  // Either of the second scan and this check hides the lack of the other one from most histories.
  if (SEEDED_BUG("gc-without-second-scan")) return false;
  // The root tablet has METADATA's first rows, and its record is not in METADATA.
  const std::string first = record.table_id == kMetadataTableId ? RootRange().limit : "";
  if (record.range.start <= (table_id_ == record.table_id ? row_ : first)) return false;
  const std::pair<uint64_t, uint64_t> behind(record.tablet_id, record.change);
  return std::exchange(behind_hole_, behind) != behind;
}

void ScanBorder::Pass(const TabletRecord& record) {
  table_id_ = record.table_id;
  row_ = record.range.limit;
}

}  // namespace sippar::cluster
