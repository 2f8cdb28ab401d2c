// METADATA, read and changed through the ordinary client.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/metadata_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cluster/location/meta_row.h"
#include "cluster/location/metadata_scan.h"
#include "cluster/lock/lock_paths.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

using engine::ColumnPattern;
using engine::Expression;
using engine::Function;
using engine::NamePattern;
using engine::RowUpdate;
using engine::RowWrite;
using engine::Value;
using engine::ValueType;

constexpr char kEvents[] = "events";
// A column of the family `events`: the epoch of the tablet whose record was erased last from this
// row of METADATA.
constexpr char kErased[] = "erased";

// Slots hold the stored values that an update's condition and guards compare, in the order of the
// columns that NewUpdate reads.
enum Slot : uint32_t { kTablet, kChange, kGroups, kErasedEpoch, kSlots };

Expression IsText(Slot slot, std::string text) {
  return Expression::Call(Function::kEqual, {Expression::Slot(slot),
                                             Expression::Literal(Value::Text(std::move(text)))});
}

RowUpdate NewUpdate(uint64_t table_id, const std::string& limit) {
  RowUpdate update;
  update.row = MetaRowKey(table_id, limit);
  update.read = MetaReadSpec({}, MetaPart::kWhole);
  const ColumnPattern columns[kSlots] = {
      ColumnPattern::Exact("state", "tablet"), ColumnPattern::Exact("state", "change"),
      ColumnPattern::Exact("state", "groups"), ColumnPattern::Exact(kEvents, kErased)};
  update.read.columns.insert(update.read.columns.begin(), columns, columns + kSlots);
  for (uint32_t i = 0; i < kSlots; ++i) {
    update.slots.push_back({engine::SlotDef::kNewest, i});
  }
  return update;
}

void AddSet(std::string_view family, std::string qualifier, std::string value, RowUpdate* update) {
  RowWrite& write = update->writes.emplace_back();
  write.family = family;
  write.qualifier = std::move(qualifier);
  write.value = Expression::Literal(Value::Bytes(std::move(value)));
}

RowWrite& AddFamilyDelete(std::string_view family, RowUpdate* update) {
  RowWrite& write = update->writes.emplace_back();
  write.kind = RowWrite::kDeleteFamily;
  write.family = family;
  return write;
}

void AddRecord(const TabletRecord& record, const TabletEvent& event, RowUpdate* update) {
  // Removes the `files` columns of groups that no longer exist.
  AddFamilyDelete("files", update).guard =
      Expression::Call(Function::kNot, {IsText(kGroups, GroupNames(record))});
  for (MetaCell& cell : EncodeMetaRow(record)) {
    AddSet(cell.family, std::move(cell.qualifier), std::move(cell.value), update);
  }
  AddSet(kEvents, event.kind, event.text, update);
}

// Returns the condition that the stored record is the record that the caller read.
Expression IsAsRead(const TabletRecord& record) {
  return Expression::Call(Function::kAnd, {IsText(kTablet, std::to_string(record.tablet_id)),
                                           IsText(kChange, std::to_string(record.change))});
}

// Compares everything that a row holds, and the suspicions only if both records have them.
bool SameRecord(const TabletRecord& a, const TabletRecord& b) {
  auto all_of = [&](TabletRecord record) {
    if (!a.suspicion || !b.suspicion) record.suspicion.reset();
    return EncodeRootFile(record);
  };
  return all_of(a) == all_of(b);
}

std::string NameOf(const TabletRecord& record) {
  return fmt::format("tablet {} of table {}", record.tablet_id, record.table_id);
}

Status NotAsRead(const TabletRecord& record) {
  return Aborted(fmt::format(
      "the METADATA record of {} was changed since it was read; read it again", NameOf(record)));
}

class ClientMetadataTable final : public MetadataTable {
 public:
  ClientMetadataTable(DataApi* data, LockSession* session) : data_(data), session_(session) {}

  Status Scan(uint64_t first_table, uint64_t last_table,
              const std::function<bool(TabletRecord record)>& visit) override {
    if (first_table <= kMetadataTableId && last_table >= kMetadataTableId) {
      ASSIGN_OR_RETURN(TabletRecord root, ReadRoot());
      if (!visit(std::move(root))) return OkStatus();
    }
    return ScanRows(MetaRowsOf(first_table, last_table), ScanBorder(), visit);
  }

  StatusOr<TabletRecord> Find(uint64_t table_id, const std::string& row) override {
    if (table_id == kMetadataTableId && RootRange().Contains(row)) return ReadRoot();
    std::optional<TabletRecord> found;
    RETURN_IF_ERROR(
        ScanRows(MetaRowsFrom(table_id, row), ScanBorder(table_id, row), [&](TabletRecord record) {
          found = std::move(record);
          return false;
        }));
    if (found && found->range.Contains(row)) return *std::move(found);
    return NotFound(fmt::format("table with id {}: it has no tablet for row '{}'", table_id,
                                engine::PrintableBytes(row)));
  }

  Status Write(TabletRecord* record, const TabletEvent& event) override {
    return Replace(*record, record, event);
  }

  // A child of a split continues its parent's `change`. If it began at 0, a server that knows an
  // earlier record with the same tablet id could find a later owner's record with the same number
  // and take it for its own.
  Status Add(TabletRecord* record, const TabletEvent& event) override {
    RETURN_IF_ERROR(CheckLimit(record->range.limit));
    TabletRecord next = *record;
    ++next.change;
    RETURN_IF_ERROR(AddNext(next, event));
    record->change = next.change;
    return OkStatus();
  }

  Status Erase(const TabletRecord& record, const TabletEvent& event) override {
    RowUpdate update = NewUpdate(record.table_id, record.range.limit);
    update.condition = IsAsRead(record);
    for (const char* family : {"files", "location", "log", "state"}) {
      AddFamilyDelete(family, &update);
    }
    AddSet(kEvents, event.kind, event.text, &update);
    AddSet(kEvents, kErased, std::to_string(record.tablet_epoch), &update);
    ASSIGN_OR_RETURN(engine::RowUpdateResult result, data_->Update(kMetadataName, update));
    if (result.applied) return OkStatus();
    // No record is stored if an earlier try of this erasure succeeded and its answer was lost.
    ASSIGN_OR_RETURN(std::optional<TabletRecord> stored, ReadRecord(record));
    return stored ? NotAsRead(record) : OkStatus();
  }

  Status FinishSplit(const TabletRecord& record) override {
    auto [left, right] = ChildrenOf(record);
    TabletEvent event{"split", fmt::format("off tablet {}", record.tablet_id)};
    // kAborted: the left record was added before, and may have been changed since.
    Status added = Add(&left, event);
    if (!added.ok() && added.code() != StatusCode::kAborted) return added;
    Status replaced = Replace(record, &right, event);
    return replaced.code() == StatusCode::kAborted ? OkStatus() : replaced;
  }

  Status Merge(const TabletRecord& left, const TabletRecord& right, TabletRecord* merged,
               const TabletEvent& event) override {
    RETURN_IF_ERROR(Replace(right, merged, event));
    return EraseMerged(left, *merged);
  }

  StatusOr<std::vector<PastEvent>> Events(uint64_t table_id) override {
    ReadSpec read;
    read.rows = engine::RowSet(MetaRowsOf(table_id, table_id));
    read.columns = {{NamePattern::Exact(kEvents), NamePattern::Any()}};
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, data_->Read(kMetadataName, read, {}));
    std::vector<PastEvent> events;
    for (; cells->Valid(); cells->Next()) {
      const CellView& cell = cells->cell();
      if (cell.qualifier == kErased) continue;
      PastEvent& event = events.emplace_back();
      event.time_us = cell.timestamp_us;
      RETURN_IF_ERROR(ParseMetaRowKey(cell.row, &event.table_id, &event.limit));
      event.event = {std::string(cell.qualifier), std::string(cell.value)};
    }
    RETURN_IF_ERROR(cells->status());
    std::stable_sort(events.begin(), events.end(),
                     [](const PastEvent& a, const PastEvent& b) { return a.time_us < b.time_us; });
    return events;
  }

 private:
  Status AddNext(const TabletRecord& record, const TabletEvent& event) {
    if (IsRoot(record.table_id, record.range)) return AddRoot(record);
    RowUpdate update = NewUpdate(record.table_id, record.range.limit);
    Expression epoch = Expression::Cast(
        ValueType::kInt64, Expression::Cast(ValueType::kText, Expression::Slot(kErasedEpoch)));
    Expression own = Expression::Literal(Value::Int64(static_cast<int64_t>(record.tablet_epoch)));
    Expression later = Expression::Call(
        Function::kOr, {Expression::Call(Function::kIsNull, {Expression::Slot(kErasedEpoch)}),
                        Expression::Call(Function::kLess, {std::move(epoch), std::move(own)})});
    update.condition = Expression::Call(
        Function::kAnd,
        {Expression::Call(Function::kIsNull, {Expression::Slot(kTablet)}), std::move(later)});
    AddRecord(record, event, &update);
    return Carry(update, record);
  }

  // Replaces `as_read` by `*record`, and sets `record->change` on success. The two may be different
  // tablets but must have the same row key.
  Status Replace(const TabletRecord& as_read, TabletRecord* record, const TabletEvent& event) {
    TabletRecord next = *record;
    next.change = as_read.change + 1;
    if (IsRoot(next.table_id, next.range)) {
      RETURN_IF_ERROR(ReplaceRoot(as_read.change, next));
    } else {
      RETURN_IF_ERROR(CheckSplit(next));
      RowUpdate update = NewUpdate(next.table_id, next.range.limit);
      update.condition = IsAsRead(as_read);
      AddRecord(next, event, &update);
      RETURN_IF_ERROR(Carry(update, next));
    }
    record->change = next.change;
    return OkStatus();
  }

  static Status CheckSplit(const TabletRecord& record) {
    return record.split ? CheckLimit(record.split->left.range.limit) : OkStatus();
  }

  // If the condition does not hold, this call may be a repetition whose first answer was lost: then
  // the stored record is the new one, and the call is OK.
  Status Carry(const RowUpdate& update, const TabletRecord& record) {
    ASSIGN_OR_RETURN(engine::RowUpdateResult result, data_->Update(kMetadataName, update));
    if (result.applied) return OkStatus();
    ASSIGN_OR_RETURN(std::optional<TabletRecord> stored, ReadRecord(record));
    return stored && SameRecord(*stored, record) ? OkStatus() : NotAsRead(record);
  }

  // The record as stored under the record's key, without finishing a split or merge.
  StatusOr<std::optional<TabletRecord>> ReadRecord(const TabletRecord& record) {
    std::string key = MetaRowKey(record.table_id, record.range.limit);
    std::optional<TabletRecord> found;
    ASSIGN_OR_RETURN(
        std::unique_ptr<CellStream> cells,
        data_->Read(kMetadataName, MetaReadSpec(engine::RowRange::Single(key), MetaPart::kWhole),
                    {}));
    RETURN_IF_ERROR(DecodeMetaRows(cells.get(), MetaPart::kWhole, [&](TabletRecord stored) {
      found = std::move(stored);
      return false;
    }));
    return found;
  }

  Status ScanRows(engine::RowRange rows, ScanBorder border,
                  const std::function<bool(TabletRecord record)>& visit) {
    MetadataScan scan(data_, std::move(rows), std::move(border));
    while (true) {
      ASSIGN_OR_RETURN(std::optional<UnfinishedRecord> unfinished, scan.Continue(visit));
      if (!unfinished) return OkStatus();
      if (unfinished->merged) {
        RETURN_IF_ERROR(EraseMerged(*unfinished->merged, unfinished->record));
      } else {
        RETURN_IF_ERROR(FinishSplit(unfinished->record));
      }
    }
  }

  // Erases the left record of a committed merge. kAborted counts as success: the record was erased
  // before and its row has another one now, or its merge was cancelled since it was read.
  Status EraseMerged(const TabletRecord& left, const TabletRecord& merged) {
    Status erased = Erase(left, {"merged", fmt::format("into tablet {}", merged.tablet_id)});
    return erased.code() == StatusCode::kAborted ? OkStatus() : erased;
  }

  StatusOr<TabletRecord> ReadRoot() { return ReadRootRecord(session_); }

  Status AddRoot(const TabletRecord& record) {
    Status created =
        session_->Create(lock_paths::RootLocation(), EncodeRootFile(record), LockFileKind::kLasting)
            .status();
    if (created.code() != StatusCode::kAlreadyExists) return created;
    ASSIGN_OR_RETURN(TabletRecord stored, ReadRoot());
    return SameRecord(stored, record) ? OkStatus() : NotAsRead(record);
  }

  Status ReplaceRoot(uint64_t version, const TabletRecord& next) {
    Status written =
        session_->Write(lock_paths::RootLocation(), EncodeRootFile(next), version).status();
    if (written.code() != StatusCode::kAborted) return written;
    ASSIGN_OR_RETURN(TabletRecord stored, ReadRoot());
    return SameRecord(stored, next) ? OkStatus() : NotAsRead(next);
  }

  DataApi* data_;
  LockSession* session_;
};

}  // namespace

StatusOr<TabletRecord> ReadRootRecord(LockSession* session) {
  ASSIGN_OR_RETURN(LockFile file, session->Read(lock_paths::RootLocation()));
  auto record = DecodeRootFile(file.content, file.version);
  if (record.status().code() != StatusCode::kDataLoss) return record;
  return DataLoss(
      fmt::format("file '{}' of the lock service, which says where the root tablet is: "
                  "{}; put the whole store back from a copy",
                  lock_paths::RootLocation(), MessageOf(record.status())));
}

std::unique_ptr<MetadataTable> NewMetadataTable(DataApi* data, LockSession* session) {
  return std::make_unique<ClientMetadataTable>(data, session);
}

}  // namespace sippar::cluster
