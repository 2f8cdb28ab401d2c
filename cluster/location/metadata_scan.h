// One scan of METADATA's rows, in key order. It misses no record that a split moves during the scan
// (ScanBorder), and stops at a record whose split or merge is committed but not finished.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "cluster/api/data_api.h"
#include "cluster/api/tablet_record.h"
#include "cluster/location/tiling.h"

namespace sippar::cluster {

// What the scan's caller must finish before the scan goes on.
struct UnfinishedRecord {
  TabletRecord record;  // its `split` is set, or it now has the rows of `merged`, too
  std::optional<TabletRecord> merged;  // the left record of a merge, which must be erased
};

// Not thread-safe.
class MetadataScan {
 public:
  // `data` outlives the scan. `border` is where `rows` begin, as a place in a table.
  MetadataScan(DataApi* data, engine::RowRange rows, ScanBorder border)
      : data_(data), rows_(std::move(rows)), border_(std::move(border)) {}

  // Scans on until the rows end or `visit` returns false; the result is then empty, and the scan is
  // over. Or until it meets a record that must be finished; call again once it is. No record is
  // visited twice: each call begins after the last record that was given to `visit`.
  [[nodiscard]] StatusOr<std::optional<UnfinishedRecord>> Continue(
      const std::function<bool(TabletRecord record)>& visit);

 private:
  // Reads from the start of rows_ until a record was missed (true), `visit` has enough, the rows
  // end, or there is an unfinished record.
  [[nodiscard]] StatusOr<bool> ReadOnce(const std::function<bool(TabletRecord record)>& visit,
                                        std::optional<UnfinishedRecord>* unfinished);
  // Gives the record to `visit`; false ends the read. A record behind one that was missed is not
  // given, and *missed is set.
  bool Give(TabletRecord record, const std::function<bool(TabletRecord record)>& visit,
            bool* missed);

  DataApi* const data_;
  engine::RowRange rows_;  // the rows of METADATA that are still to be read
  ScanBorder border_;
};

}  // namespace sippar::cluster
