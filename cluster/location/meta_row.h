// Converts a TabletRecord to a row of METADATA and back, and has the schema of that table (paper
// section 5.1). PROTOCOL.md lists every column. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/tablet_record.h"
#include "cluster/net/lane.h"
#include "engine/base/status.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"

namespace sippar::cluster {

// Row key of a tablet's record: table id (8 bytes, big-endian), then 0x00 and the tablet's limit,
// or 0x01 at the end of the table. So the record of the tablet with a given row is the first one
// after (table id, 0x00, row).
std::string MetaRowKey(uint64_t table_id, std::string_view limit);
[[nodiscard]] Status ParseMetaRowKey(std::string_view key, uint64_t* table_id, std::string* limit);
// Returns the range of METADATA whose first record is that of the tablet with `row`. The range ends
// after the table's records.
engine::RowRange MetaRowsFrom(uint64_t table_id, std::string_view row);
// Like MetaRowsFrom, for the tablet with the rows directly below `limit` ("": the last tablet).
engine::RowRange MetaRowsBefore(uint64_t table_id, std::string_view limit);
// Returns the range of the records of the tables first_table to last_table, both included.
engine::RowRange MetaRowsOf(uint64_t first_table, uint64_t last_table);
// kInvalidArgument: the key of a tablet with this limit would be too long. To be called before a
// split.
[[nodiscard]] Status CheckLimit(std::string_view limit);

// The root tablet has the records of METADATA's own tablets and is never split.
engine::RowRange RootRange();
inline bool IsRoot(uint64_t table_id, const engine::RowRange& range) {
  return table_id == kMetadataTableId && range.start.empty();
}
// The lane (net/lane.h: a connection and threads of its own) for calls to a tablet. The root
// tablet, METADATA and user tablets have different lanes, so a look-up never queues after calls
// that wait for its answer.
inline net::Lane LaneOf(uint64_t table_id, const engine::RowRange& range) {
  if (table_id != kMetadataTableId) [[likely]]
    return net::Lane::kUsers;
  return range.start.empty() ? net::Lane::kRoot : net::Lane::kMetadata;
}

// Families "location" and "state" form a locality group in memory, which clients read; "files" and
// "log", which only servers and the master read, are in another, with "events".
engine::TableSchema MetadataSchema();

// The value of `state:phase`.
std::string_view PhaseName(TabletPhase phase);

struct MetaCell {
  std::string_view family;
  std::string qualifier;
  std::string value;
};
std::vector<MetaCell> EncodeMetaRow(const TabletRecord& record);
// Returns the value of the column state:groups: the names of the groups that have a valid `files`
// column, separated by blanks. Any other `files` column is left from a group that no longer exists.
std::string GroupNames(const TabletRecord& record);

// Which part of a row to read. kPlace suffices to find and call a tablet; `state` and the children
// in `split` then have no files.
enum class MetaPart : uint8_t { kWhole, kPlace };
engine::ReadSpec MetaReadSpec(const engine::RowRange& rows, MetaPart part);
// Passes the records in `cells`, which were read with MetaReadSpec, to `visit` until it returns
// false. Rows that have only events are not in `cells`. kDataLoss: the message names the row and,
// unless its key is damaged, the column.
[[nodiscard]] Status DecodeMetaRows(engine::CellStream* cells, MetaPart part,
                                    const std::function<bool(TabletRecord record)>& visit);

// The root tablet's record as a file of the lock service. `change` is the version of the file.
std::string EncodeRootFile(const TabletRecord& record);
[[nodiscard]] StatusOr<TabletRecord> DecodeRootFile(std::string_view content, uint64_t version);

// The left and the right child of a split; requires record.split. Both have the record's server and
// epoch (one above the epoch of the parent before the split) and no logs, since the parent was
// flushed.
std::pair<TabletRecord, TabletRecord> ChildrenOf(const TabletRecord& record);

}  // namespace sippar::cluster
