// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/metadata_scan.h"

#include "cluster/location/meta_row.h"

namespace sippar::cluster {

StatusOr<std::optional<UnfinishedRecord>> MetadataScan::Continue(
    const std::function<bool(TabletRecord record)>& visit) {
  std::optional<UnfinishedRecord> unfinished;
  bool missed = true;
  while (missed) {
    ASSIGN_OR_RETURN(missed, ReadOnce(visit, &unfinished));
  }
  return unfinished;
}

bool MetadataScan::Give(TabletRecord record, const std::function<bool(TabletRecord record)>& visit,
                        bool* missed) {
  *missed = border_.MustReadAgain(record);
  if (*missed) return false;
  border_.Pass(record);
  rows_.start = engine::RowSuccessor(MetaRowKey(record.table_id, record.range.limit));
  return visit(std::move(record));
}

StatusOr<bool> MetadataScan::ReadOnce(const std::function<bool(TabletRecord record)>& visit,
                                      std::optional<UnfinishedRecord>* unfinished) {
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells,
                   data_->Read(kMetadataName, MetaReadSpec(rows_, MetaPart::kWhole), {}));
  bool missed = false;
  bool goes_on = true;
  std::optional<TabletRecord> merging;  // held back until its right neighbour is known
  RETURN_IF_ERROR(DecodeMetaRows(cells.get(), MetaPart::kWhole, [&](TabletRecord record) {
    const bool merged_away = merging && IsMergedAway(*merging, record);
    if (merging && !merged_away) {
      goes_on = Give(*std::exchange(merging, std::nullopt), visit, &missed);
    }
    if (!goes_on) return false;
    if (merged_away || record.split) {
      unfinished->emplace(
          UnfinishedRecord{std::move(record), std::exchange(merging, std::nullopt)});
      return goes_on = false;
    }
    if (record.phase == TabletPhase::kMerging && !record.range.limit.empty()) {
      merging = std::move(record);
      return true;
    }
    return goes_on = Give(std::move(record), visit, &missed);
  }));
  if (merging && goes_on) Give(*std::move(merging), visit, &missed);
  return missed;
}

}  // namespace sippar::cluster
