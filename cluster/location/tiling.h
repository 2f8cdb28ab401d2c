// Checks whether a table's records tile its rows: for scans of METADATA (metadata_scan.h), for
// clients that read all records, and for the checks of a start (node/picture_proof.h). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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

// Notices that a scan of METADATA, which goes in key order, has missed a record. A split adds the
// record of the left half, and then makes the record of the whole that of the right half. A scan
// that passed the key of the left half before the first step and reads the right half after the
// second one has seen no record of the left half, nor its names of files and logs. The hole shows
// it, and the record is there when the scan reads again from the hole on. Not thread-safe.
class ScanBorder {
 public:
  ScanBorder() = default;  // the scan begins with the first row of a table
  ScanBorder(uint64_t table_id, std::string row) : table_id_(table_id), row_(std::move(row)) {}

  // Returns true if the rows between the border and `record`, the next one of the scan, must be
  // read again. Returns false for a hole before the same record as the last time: no record is
  // there.
  [[nodiscard]] bool MustReadAgain(const TabletRecord& record);
  // Moves the border to the end of the record, which the scan has seen.
  void Pass(const TabletRecord& record);

 private:
  std::optional<uint64_t> table_id_;
  std::string row_;  // the scan has seen that table's rows before this one
  std::pair<uint64_t, uint64_t> behind_hole_;  // tablet id and change of the record
};

}  // namespace sippar::cluster
