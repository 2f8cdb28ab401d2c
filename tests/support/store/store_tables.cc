// Tables of a store: create, alter, drop, look up. Order of a change: tablet states, catalog (the
// change is made when it is saved), then memory. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/base/crash_point.h"
#include "engine/base/limits.h"
#include "engine/model/change_config.h"
#include "engine/model/schema_change.h"
#include "engine/tablet/state_file.h"
#include "engine/tablet/writes_held.h"
#include "tests/support/store/store.h"

namespace sippar::engine {
namespace {

Status CheckSplitKeys(const std::vector<std::string>& keys) {
  for (size_t i = 0; i < keys.size(); ++i) {
    RETURN_IF_ERROR(Annotate(ValidateRowKey(keys[i]), "split key"));
    if (i > 0 && keys[i - 1] >= keys[i]) {
      return InvalidArgument("split keys must be distinct and ascending");
    }
  }
  return OkStatus();
}

constexpr uint64_t kReserveLeast = 64 << 10;

Status NoSuchTable(const std::string& name) { return NotFound(fmt::format("no table '{}'", name)); }

}  // namespace

Status Store::SaveCatalog(const Catalog& catalog) {
  Status saved = WriteStateFile(options_.fs, files_.catalog(), kCatalogMagic, catalog.Encode());
  catalog_in_doubt_ = !saved.ok();
  if (!saved.ok()) (void)SettleCatalog();
  return Annotate(saved, "save catalog");
}

Status Store::SettleCatalog() {
  RETURN_IF_ERROR(WriteStateFile(options_.fs, files_.catalog(), kCatalogMagic, catalog_.Encode()));
  catalog_in_doubt_ = false;
  return OkStatus();
}

Status Store::CreateTable(const TableSchema& schema, const std::vector<std::string>& split_keys) {
  TableSchema normal = schema;
  normal.Normalize();
  RETURN_IF_ERROR(CheckSplitKeys(split_keys));
  std::vector<TabletState> tablets(split_keys.size() + 1);
  for (size_t i = 0; i < split_keys.size(); ++i) {
    tablets[i].range.limit = tablets[i + 1].range.start = split_keys[i];
  }
  MutexLock admin_lock(&admin_mutex_);
  RETURN_IF_ERROR(CheckNew(normal));
  return AddTable(std::move(normal), std::move(tablets));
}

Status Store::CheckNew(const TableSchema& schema) {
  RETURN_IF_ERROR(schema.Validate());
  if (catalog_.tables.contains(schema.name)) {
    return AlreadyExists(fmt::format("table '{}' exists already", schema.name));
  }
  if (catalog_.tables.size() < limits::kTablesMax) return OkStatus();
  return ResourceExhausted(fmt::format("a store holds at most {} tables", limits::kTablesMax));
}

Status Store::AddTable(TableSchema schema, std::vector<TabletState> tablets) {
  Catalog changed = catalog_;
  auto table = std::make_shared<OpenTable>();
  table->entry.table_id = changed.next_table_id++;
  table->entry.changed_at_us = options_.clock->NowMicros();
  RETURN_IF_ERROR(PrepareChanges(table->entry, {}, &schema));
  table->entry.schema = schema;
  auto shared_schema = std::make_shared<const TableSchema>(schema);
  for (TabletState& state : tablets) {
    state.tablet_id = changed.next_tablet_id++;
    state.table_id = table->entry.table_id;
    RETURN_IF_ERROR(states_->Save(state));
    table->entry.tablets.push_back({state.tablet_id, state.range});
    table->tablets.push_back(host_.Open(std::move(state), shared_schema));
  }
  changed.tables[schema.name] = table->entry;
  CRASH_POINT("create_table.before_catalog");
  RETURN_IF_ERROR(SaveCatalog(changed));
  CRASH_POINT("create_table.after_catalog");
  catalog_ = std::move(changed);
  for (const auto& tablet : table->tablets) host_.Serve(tablet);
  KeepReserve(options_.fs, files_.reserve(), kReserveLeast + catalog_.Encode().size());
  MutexLock lock(&tables_mutex_);
  tables_[schema.name] = std::move(table);
  return OkStatus();
}

Status Store::AlterTable(const TableSchema& schema, uint64_t expected_version) {
  TableSchema normal = schema;
  normal.Normalize();
  RETURN_IF_ERROR(normal.Validate());
  MutexLock admin_lock(&admin_mutex_);
  auto found = catalog_.tables.find(normal.name);
  if (found == catalog_.tables.end()) return NoSuchTable(normal.name);
  if (found->second.schema_version != expected_version) {
    return Aborted(fmt::format("the schema of table {} changed meanwhile (version {}, expected {})",
                               normal.name, found->second.schema_version, expected_version));
  }
  RETURN_IF_ERROR(CheckAlter(found->second.schema, normal));
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, Tablets(normal.name));
  std::optional<WritesHeld> held;
  if (MakesFamilyAnew(found->second.schema, normal)) held.emplace(tablets);
  for (const auto& tablet : tablets) RETURN_IF_ERROR(tablet->families().Prepare(normal));
  RETURN_IF_ERROR(PrepareChanges(found->second, tablets, &normal));
  CRASH_POINT("alter_table.before_catalog");
  Catalog changed = catalog_;
  CatalogTable& entry = changed.tables[normal.name];
  entry.schema = normal;
  ++entry.schema_version;
  entry.changed_at_us = options_.clock->NowMicros();
  if (Status saved = SaveCatalog(changed); !saved.ok()) {
    // A change stream that did not begin keeps nothing.
    for (const auto& tablet : tablets) tablet->families().SetSchema(tablet->schema());
    return saved;
  }
  CRASH_POINT("alter_table.after_catalog");
  catalog_ = std::move(changed);
  auto shared_schema = std::make_shared<const TableSchema>(normal);
  for (const auto& tablet : tablets) tablet->families().SetSchema(shared_schema);
  uint64_t table_id = catalog_.tables[normal.name].table_id;
  if (!ChangeStreamOf(normal).has_value()) RemoveChanges(ChangesOf(table_id));
  auto table = std::make_shared<OpenTable>();
  table->entry = catalog_.tables[normal.name];
  table->tablets = std::move(tablets);
  MutexLock lock(&tables_mutex_);
  tables_[normal.name] = std::move(table);
  return OkStatus();
}

Status Store::DropTable(const std::string& name) {
  MutexLock admin_lock(&admin_mutex_);
  return Drop(name);
}

Status Store::Drop(const std::string& name) {
  auto found = catalog_.tables.find(name);
  if (found == catalog_.tables.end()) return NoSuchTable(name);
  RETURN_IF_ERROR(CheckDrop(found->second.schema));
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, Tablets(name));
  Catalog changed = catalog_;
  uint64_t table_id = found->second.table_id;
  changed.tables.erase(name);
  CRASH_POINT("drop_table.before_catalog");
  Status saved = SaveCatalog(changed);
  if (HasCause(saved, Cause::kDiskFull) && GiveUpReserve(options_.fs, files_.reserve())) {
    saved = SaveCatalog(changed);
  }
  RETURN_IF_ERROR(saved);
  CRASH_POINT("drop_table.after_catalog");
  catalog_ = std::move(changed);
  {
    MutexLock lock(&tables_mutex_);
    tables_.erase(name);
  }
  for (const auto& tablet : tablets) {
    host_.Forget(tablet->id());
    tablet->serving().Drop();
    (void)states_->Remove(tablet->id());  // an orphan otherwise, swept at the next start
    CRASH_POINT("drop_table.after_removal");
  }
  RemoveChanges(ChangesOf(table_id));
  host_.ForgetTotals(table_id);
  KeepReserve(options_.fs, files_.reserve(), kReserveLeast + catalog_.Encode().size());
  return OkStatus();
}

StatusOr<CatalogTable> Store::GetTable(const std::string& name) const {
  MutexLock lock(&tables_mutex_);
  auto found = tables_.find(name);
  if (found == tables_.end()) return NoSuchTable(name);
  return found->second->entry;
}

std::vector<CatalogTable> Store::ListTables() const {
  MutexLock lock(&tables_mutex_);
  std::vector<CatalogTable> all;
  for (const auto& [name, table] : tables_) all.push_back(table->entry);
  return all;
}

StatusOr<std::vector<std::shared_ptr<Tablet>>> Store::Tablets(const std::string& name) const {
  MutexLock lock(&tables_mutex_);
  auto found = tables_.find(name);
  if (found == tables_.end()) return NoSuchTable(name);
  return found->second->tablets;
}

StatusOr<std::shared_ptr<const Store::OpenTable>> Store::FindTable(const std::string& name) const {
  MutexLock lock(&tables_mutex_);
  auto found = tables_.find(name);
  if (found == tables_.end()) return NoSuchTable(name);
  return found->second;
}

const std::shared_ptr<Tablet>& Store::OpenTable::TabletOf(std::string_view row) const {
  auto after = std::upper_bound(
      tablets.begin(), tablets.end(), row,
      [](std::string_view key, const auto& tablet) { return key < tablet->range().start; });
  return *std::prev(after);
}

StatusOr<std::shared_ptr<const TableSchema>> Store::Schema(const std::string& name) const {
  ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> table, FindTable(name));
  return std::shared_ptr<const TableSchema>(table, &table->entry.schema);
}

StatusOr<std::shared_ptr<Tablet>> Store::FindTablet(const std::string& name,
                                                    std::string_view row) const {
  ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> table, FindTable(name));
  return table->TabletOf(row);
}

Status Store::Admit(size_t rows) {
  if (catalog_in_doubt_) {
    MutexLock lock(&admin_mutex_);
    if (catalog_in_doubt_) {
      RETURN_IF_ERROR(Annotate(SettleCatalog(),
                               "nothing is written after a failed schema change until the catalog "
                               "can be saved"));
    }
  }
  return host_.Admit(rows);
}

std::vector<Status> Store::Apply(const std::string& name,
                                 const std::vector<const RowMutation*>& batch) {
  std::vector<Status> statuses(batch.size(), Admit(batch.size()));
  if (batch.empty() || !statuses[0].ok()) return statuses;
  std::vector<const RowMutation*> left = batch;
  std::vector<size_t> positions(batch.size());
  std::iota(positions.begin(), positions.end(), 0);
  for (;;) {
    auto table = FindTable(name);
    std::vector<Status> results =
        table.ok() ? ApplyRouted(**table, left) : std::vector<Status>(left.size(), table.status());
    // What met a tablet that gives way to others goes the same way again, in the same order.
    size_t moved = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      if (IsMoved(results[i])) {
        left[moved] = left[i];
        positions[moved++] = positions[i];
      } else {
        statuses[positions[i]] = std::move(results[i]);
      }
    }
    if (moved == 0) return statuses;
    left.resize(moved);
    positions.resize(moved);
    WaitForRouting(name, *table);
  }
}

std::vector<Status> Store::ApplyRouted(const OpenTable& table,
                                       const std::vector<const RowMutation*>& batch) {
  const std::shared_ptr<Tablet>& first = table.TabletOf(batch[0]->row);
  bool one_tablet = std::all_of(batch.begin(), batch.end(), [&](const RowMutation* mutation) {
    return first->range().Contains(mutation->row);
  });
  if (one_tablet) return first->Apply(batch);
  std::map<ptrdiff_t, std::vector<size_t>> by_tablet;  // in key order
  for (size_t i = 0; i < batch.size(); ++i) {
    by_tablet[&table.TabletOf(batch[i]->row) - table.tablets.data()].push_back(i);
  }
  std::vector<Status> statuses(batch.size());
  for (const auto& [tablet, positions] : by_tablet) {
    std::vector<const RowMutation*> part;
    for (size_t position : positions) part.push_back(batch[position]);
    std::vector<Status> results = table.tablets[static_cast<size_t>(tablet)]->Apply(part);
    for (size_t i = 0; i < positions.size(); ++i) statuses[positions[i]] = results[i];
  }
  return statuses;
}

StatusOr<RowUpdateResult> Store::Update(const std::string& table, const RowUpdate& update) {
  RETURN_IF_ERROR(Admit(1));
  RowUpdateResult result;
  RETURN_IF_ERROR(OnTablet(table, update.row, [&](Tablet* tablet) -> Status {
    ASSIGN_OR_RETURN(result, tablet->Update(update));
    return OkStatus();
  }));
  return result;
}

Status Store::CommitRow(const std::string& table, const RowMutation& mutation,
                        std::span<const RowCheck> checks) {
  RETURN_IF_ERROR(Admit(1));
  return OnTablet(table, mutation.row,
                  [&](Tablet* tablet) { return tablet->CommitRow(mutation, checks); });
}

Status Store::Flush(const std::string& table) {
  RETURN_IF_ERROR(OnTablets(table, [](Tablet* tablet) { return tablet->Flush(); }));
  host_.RemoveObsoleteSegments();
  return OkStatus();
}

Status Store::CompactMajor(const std::string& table, const std::string& group) {
  ASSIGN_OR_RETURN(CatalogTable entry, GetTable(table));
  if (!group.empty() && entry.schema.FindGroup(group) == nullptr) {
    return NotFound(fmt::format("table {} has no locality group '{}'", table, group));
  }
  RETURN_IF_ERROR(OnTablets(table, [&](Tablet* tablet) { return tablet->CompactMajor(group); }));
  host_.RemoveObsoleteSegments();
  return OkStatus();
}

}  // namespace sippar::engine
