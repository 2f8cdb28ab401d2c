// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/locator.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cluster/location/meta_row.h"
#include "cluster/location/set_aside.h"
#include "cluster/location/tiling.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

// True if the server cannot be reached or does not serve the tablet.
bool IsElsewhere(const Status& status) {
  return status.code() == StatusCode::kUnavailable || HasCause(status, Cause::kNotServed);
}

// Returns the tablets that can be called: replaces a tablet with a committed split by its children,
// and leaves out a tablet that was merged into its right neighbour. METADATA still has the records
// of these tablets until the split or merge is finished.
std::vector<TabletRecord> SpelledOut(std::vector<TabletRecord> records) {
  std::vector<TabletRecord> tablets;
  for (size_t i = 0; i < records.size(); ++i) {
    if (i + 1 < records.size() && IsMergedAway(records[i], records[i + 1])) continue;
    if (records[i].split) {
      auto [left, right] = ChildrenOf(records[i]);
      tablets.push_back(std::move(left));
      tablets.push_back(std::move(right));
    } else {
      tablets.push_back(std::move(records[i]));
    }
  }
  return tablets;
}

Status NoServerNow(const TabletRecord& record) {
  if (record.suspicion && record.suspicion->set_aside) {
    return SetAsideError(record.tablet_id, record.range, record.suspicion->deaths);
  }
  return Unavailable(fmt::format(
      "tablet {} of the table with id {} has no server at present (phase {}); try again",
      record.tablet_id, record.table_id, PhaseName(record.phase)));
}

}  // namespace

bool Locator::Target::IsIn(const engine::RowRange& range) const {
  if (!before) return range.Contains(key);
  bool reaches = range.limit.empty() || (!key.empty() && key <= range.limit);
  return reaches && (key.empty() || range.start < key);
}

engine::RowRange Locator::Target::MetaRows() const {
  return before ? MetaRowsBefore(table_id, key) : MetaRowsFrom(table_id, key);
}

StatusOr<LocationPtr> Locator::Find(uint64_t table_id, std::string_view row) {
  {
    engine::MutexLock lock(&mutex_);
    if (LocationPtr known = cache_.Find(table_id, row)) [[likely]]
      return known;
  }
  return LookUp({table_id, std::string(row), false});
}

StatusOr<LocationPtr> Locator::FindBefore(uint64_t table_id, std::string_view limit) {
  {
    engine::MutexLock lock(&mutex_);
    if (LocationPtr known = cache_.FindBefore(table_id, limit)) return known;
  }
  return LookUp({table_id, std::string(limit), true});
}

void Locator::Invalidate(const TabletLocation& seen) {
  engine::MutexLock lock(&mutex_);
  cache_.Invalidate(seen);
}

// Adds the tablet to the cache. nullptr: no server serves it.
LocationPtr Locator::Remember(const TabletRecord& record) {
  if (record.phase != TabletPhase::kAssigned || record.server.IsNone()) return nullptr;
  auto location = std::make_shared<TabletLocation>();
  location->table_id = record.table_id;
  location->range = record.range;
  location->address = {record.tablet_id, record.tablet_epoch};
  location->server = record.server;
  location->service =
      options_.transport->Tablets(record.server, LaneOf(record.table_id, record.range));
  engine::MutexLock lock(&mutex_);
  cache_.Insert(location);
  return location;
}

StatusOr<LocationPtr> Locator::LookUpRoot() {
  ++round_trips_;
  ASSIGN_OR_RETURN(TabletRecord record, options_.read_root());
  LocationPtr location = Remember(record);
  if (location == nullptr) return NoServerNow(record);
  return location;
}

StatusOr<LocationPtr> Locator::LookUp(const Target& target) {
  if (target.table_id == kMetadataTableId && target.IsIn(RootRange())) return LookUpRoot();
  engine::RowRange rows = target.MetaRows();
  bool was_stale = false;
  while (!rows.IsEmpty()) {
    ASSIGN_OR_RETURN(LocationPtr metadata, Find(kMetadataTableId, rows.start));
    auto found = ReadMetadata(metadata, rows, target);
    // A stale location of a METADATA tablet is looked up again once; a second refusal goes to the
    // caller, whose retries have waits between them.
    if (!found.ok() && IsElsewhere(found.status()) && !was_stale) {
      was_stale = true;
      Invalidate(*metadata);
      continue;
    }
    if (!found.ok() || *found != nullptr) return found;
    // This METADATA tablet has no record at or above `rows.start`, so the record is the first one
    // of the next METADATA tablet.
    if (metadata->range.limit.empty()) break;
    rows.start = metadata->range.limit;
  }
  return NotFound(
      fmt::format("table with id {}: METADATA has no tablet for row '{}'; the table was dropped, "
                  "or METADATA is damaged ('sippar admin doctor' tells)",
                  target.table_id, engine::PrintableBytes(target.key)));
}

Status Locator::ReadPart(const LocationPtr& metadata, const engine::RowRange& rows,
                         std::vector<TabletRecord>* records) {
  ++round_trips_;
  ASSIGN_OR_RETURN(
      std::unique_ptr<CellStream> cells,
      metadata->service->Read(metadata->address, MetaReadSpec(rows, MetaPart::kPlace), {}));
  return DecodeMetaRows(cells.get(), MetaPart::kPlace, [&](TabletRecord record) {
    records->push_back(std::move(record));
    return true;
  });
}

StatusOr<std::vector<TabletRecord>> Locator::ReadAll(uint64_t table_id) {
  std::vector<TabletRecord> records;
  // METADATA's first tablet is the root tablet, whose record is not in METADATA.
  if (table_id == kMetadataTableId) {
    ++round_trips_;
    ASSIGN_OR_RETURN(records.emplace_back(), options_.read_root());
  }
  engine::RowRange rows = MetaRowsOf(table_id, table_id);
  bool was_stale = false;
  while (!rows.IsEmpty()) {
    ASSIGN_OR_RETURN(LocationPtr metadata, Find(kMetadataTableId, rows.start));
    size_t known = records.size();
    Status read = ReadPart(metadata, rows, &records);
    if (!read.ok() && IsElsewhere(read) && !std::exchange(was_stale, true)) {
      records.resize(known);
      Invalidate(*metadata);
      continue;
    }
    RETURN_IF_ERROR(read);
    if (metadata->range.limit.empty()) break;
    rows.start = metadata->range.limit;
  }
  records = SpelledOut(std::move(records));
  if (records.empty())
    return NotFound(fmt::format("table with id {} has no tablets; it was dropped", table_id));
  for (const TabletRecord& record : records) Remember(record);
  // Several METADATA tablets were read, each at another moment: a split or merge in between leaves
  // a hole or an overlap in the records.
  if (CheckTiling(records).empty()) return records;
  return Unavailable(
      fmt::format("METADATA of the table with id {} is being changed; try again", table_id));
}

// Reads the record for `target` and its neighbours from one METADATA tablet. nullptr: no record of
// `rows` is in that tablet.
StatusOr<LocationPtr> Locator::ReadMetadata(const LocationPtr& metadata,
                                            const engine::RowRange& rows, const Target& target) {
  ++round_trips_;
  ASSIGN_OR_RETURN(
      std::unique_ptr<CellStream> cells,
      metadata->service->Read(metadata->address, MetaReadSpec(rows, MetaPart::kPlace), {}));
  std::vector<TabletRecord> records;
  RETURN_IF_ERROR(DecodeMetaRows(cells.get(), MetaPart::kPlace, [&](TabletRecord record) {
    records.push_back(std::move(record));
    return records.size() <= options_.neighbours;
  }));
  if (records.empty()) return LocationPtr();
  // The records of the two children of a split may be in two METADATA tablets. This read may come
  // when only one of the records is written. The caller retries.
  StatusOr<LocationPtr> found =
      Unavailable(fmt::format("table with id {}: METADATA names no tablet for row '{}' at present, "
                              "perhaps because a split is half written; try again",
                              target.table_id, engine::PrintableBytes(target.key)));
  for (const TabletRecord& tablet : SpelledOut(std::move(records))) {
    LocationPtr location = Remember(tablet);
    if (!target.IsIn(tablet.range)) continue;
    if (location == nullptr) {
      found = NoServerNow(tablet);
    } else {
      found = std::move(location);
    }
  }
  return found;
}

}  // namespace sippar::cluster
