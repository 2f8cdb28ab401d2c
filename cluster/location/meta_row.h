// TabletRecord <-> row of METADATA (paper section 5.1), and the schema of that table. Every column
// is listed in cluster/PROTOCOL.md. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/tablet_record.h"
#include "engine/base/status.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"

namespace sippar::cluster {

// Row key: table id (8 bytes, big-endian), then 0x00 and the tablet's limit, or 0x01 at the end of
// the table. So the record of the tablet that has a row is the first one behind that row.
std::string MetaRowKey(uint64_t table_id, std::string_view limit);
[[nodiscard]] Status ParseMetaRowKey(std::string_view key, uint64_t* table_id, std::string* limit);
// Where that record is looked for: from here upwards, to the end of the table's records.
engine::RowRange MetaRowsFrom(uint64_t table_id, std::string_view row);
// The same for the tablet with the rows right below `limit` ("": the last one).
engine::RowRange MetaRowsBefore(uint64_t table_id, std::string_view limit);
// Where METADATA is split so that the record `key` is the last one of the left half: then no
// look-up reads the half in front of the one that has its record.
inline std::string MetaSplitRow(std::string_view key) { return engine::RowSuccessor(key); }
engine::RowRange MetaRowsOf(uint64_t first_table, uint64_t last_table);  // both included
// kInvalidArgument: a tablet with this limit would have too long a key. Ask before a split.
[[nodiscard]] Status CheckLimit(std::string_view limit);

// The root tablet has the records of METADATA's own tablets and is never split.
engine::RowRange RootRange();
inline bool IsRoot(uint64_t table_id, const engine::RowRange& range) {
  return table_id == kMetadataTableId && range.start.empty();
}

// "location" and "state" in memory, for clients; what only servers and master read apart.
engine::TableSchema MetadataSchema();

// Words of `state:phase`.
std::string_view PhaseName(TabletPhase phase);

struct MetaCell {
  std::string_view family;
  std::string qualifier;
  std::string value;
};
std::vector<MetaCell> EncodeMetaRow(const TabletRecord& record);
// Names of the groups with a `files` column, as state:groups lists them; other such columns are
// left from groups that are gone.
std::string GroupNames(const TabletRecord& record);

// What of the rows is wanted: the second is enough to find and call a tablet; `state` then has no
// files and `split` none of its children's.
enum class MetaPart : uint8_t { kWhole, kPlace };
engine::ReadSpec MetaReadSpec(const engine::RowRange& rows, MetaPart part);
// Gives the records of such a read until `visit` has enough. Rows with nothing but events are
// passed over. kDataLoss names row and column.
[[nodiscard]] Status DecodeMetaRows(engine::CellStream* cells, MetaPart part,
                                    const std::function<bool(TabletRecord record)>& visit);

// The root tablet's record as a file of the lock service; its `change` is the file's version.
std::string EncodeRootFile(const TabletRecord& record);
[[nodiscard]] StatusOr<TabletRecord> DecodeRootFile(std::string_view content, uint64_t version);

// Requires: record.split. Left, right: same owner and epoch, no logs (the parent was flushed).
std::pair<TabletRecord, TabletRecord> ChildrenOf(const TabletRecord& record);

}  // namespace sippar::cluster
