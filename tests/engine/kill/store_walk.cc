// The kill walk over a store. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "engine/changes/change_reader.h"
#include "engine/log/log_chain.h"
#include "engine/log/log_writer.h"
#include "engine/model/change_config.h"
#include "tests/engine/kill/walk_store.h"
#include "tests/support/store/backups.h"
#include "tests/support/store/store.h"

namespace sippar::engine {
namespace {

// What another thread's split or merge does to a call of a tablet.
bool LostRace(const Status& status) {
  return IsMoved(status) || status.code() == StatusCode::kAborted;
}

StoreOptions DrawOptions(bool check, FileSystem* fs, Random* random) {
  auto size = [&](uint64_t least, uint64_t doublings) {
    return (least + random->Uniform(least)) << random->Uniform(doublings + 1);
  };
  StoreOptions options;
  options.fs = fs;
  options.clock = Clock::System();
  options.create_if_missing = true;
  options.background = !check;
  options.memtable_size = size(8 << 10, 4);
  options.memtable_budget = 4 * options.memtable_size;
  options.block_cache_size = 1 << 20;
  options.memory_limit = 0;
  options.pinned_blocks_size = size(16 << 10, 4);
  options.log_segment_size = size(8 << 10, 3);
  options.log_segments_max = 1 + random->Uniform(4);
  options.split_size = size(64 << 10, 4);
  return options;
}

StatusOr<std::set<std::string>> FindOrphans(Store* store, FileSystem* fs,
                                            const std::string& directory) {
  ASSIGN_OR_RETURN(LogChain chain, FindLogChain(fs, directory + "/wal"));
  std::set<std::string> named = {"STORE",   "LOCK", "EPOCH",   "CATALOG", "RESERVE",  "wal",
                                 "tablets", "sst",  "changes", "backups", "wal/REACH"};
  for (const LogChain::Segment& segment : chain.segments) {
    named.insert("wal/" + SegmentFileName(segment.id));
  }
  auto states = NewFileTabletStateStore(fs, directory + "/tablets");
  for (const CatalogTable& table : store->ListTables()) {
    if (ChangeStreamOf(table.schema)) named.insert(fmt::format("changes/{}", table.table_id));
    for (const CatalogTablet& tablet : table.tablets) {
      named.insert(fmt::format("tablets/{}.tablet", tablet.tablet_id));
      ASSIGN_OR_RETURN(TabletState state, states->Load(tablet.tablet_id));
      for (uint64_t id : state.FileIds()) named.insert(fmt::format("sst/{:016x}.sst", id));
    }
  }
  std::set<std::string> orphans;
  StatusOr<std::vector<std::string>> backups = fs->List(directory + "/backups");
  for (const std::string& name : backups.ok() ? *backups : std::vector<std::string>()) {
    ASSIGN_OR_RETURN(bool whole, fs->Exists(directory + "/backups/" + name + "/MANIFEST"));
    if (!whole) orphans.insert("backups/" + name);
  }
  for (const std::string folder : {"", "wal/", "tablets/", "sst/", "changes/"}) {
    ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(directory + "/" + folder));
    for (const std::string& name : names) {
      if (!named.contains(folder + name)) orphans.insert(folder + name);
    }
  }
  return orphans;
}

class StoreToWalk final : public WalkStore {
 public:
  StoreToWalk(std::string directory, std::unique_ptr<Store> store)
      : directory_(std::move(directory)), store_(std::move(store)) {}

  std::vector<Status> Apply(const std::string& table,
                            const std::vector<RowMutation>& batch) override {
    std::vector<const RowMutation*> pointers;
    for (const RowMutation& mutation : batch) pointers.push_back(&mutation);
    return store_->Apply(table, pointers);
  }
  Status Read(const std::string& table, const ReadSpec& read,
              const std::function<void(const Cell&)>& visit) override {
    return ForEach(table, [&](Tablet* tablet) -> Status {
      ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, tablet->Read(read));
      for (; cells->Valid(); cells->Next()) visit(Cell(cells->cell()));
      return cells->status();
    });
  }
  Status CreateTable(const TableSchema& schema, const std::vector<std::string>& keys) override {
    return store_->CreateTable(schema, keys);
  }
  Status AlterTable(const TableSchema& schema, uint64_t version) override {
    return store_->AlterTable(schema, version);
  }
  Status DropTable(const std::string& table) override { return store_->DropTable(table); }
  StatusOr<WalkTable> GetTable(const std::string& table) override {
    ASSIGN_OR_RETURN(CatalogTable found, store_->GetTable(table));
    return WalkTable{found.schema, found.schema_version};
  }
  StatusOr<std::vector<TableSchema>> ListTables() override {
    std::vector<TableSchema> schemas;
    for (const CatalogTable& table : store_->ListTables()) schemas.push_back(table.schema);
    return schemas;
  }
  Status Split(const std::string& table, const std::string& row) override {
    return store_->Split(table, row);
  }
  Status Merge(const std::string& table) override { return store_->Merge(table, RowRange::All()); }
  Status Flush(const std::string& table) override { return store_->Flush(table); }
  Status CompactMajor(const std::string& table, const std::string& group) override {
    return store_->CompactMajor(table, group);
  }
  Status CompactOnce(const std::string& table) override {
    return ForEach(table, [](Tablet* tablet) -> Status {
      StatusOr<bool> compacted = tablet->CompactOnce();
      return LostRace(compacted.status()) ? OkStatus() : compacted.status();
    });
  }
  uint64_t Metric(const std::string& name) override {
    return store_->metrics()->Get(name)->value();
  }

  bool HasBackup(const std::string& name) override { return store_->backups()->Get(name).ok(); }
  Status CreateBackup(const std::string& name, const std::string& table) override {
    return store_->backups()->Create(name, table, INT64_MAX).status();
  }
  Status Restore(const std::string& name, const std::string& table) override {
    return store_->backups()->Restore(name, table);
  }
  Status DropAndKeep(const std::string& table) override {
    return store_->backups()->DropTable(table, int64_t{3600} * 1'000'000);
  }
  Status Undelete(const std::string& table) override { return store_->backups()->Undelete(table); }
  Status DeleteBackup(const std::string& name) override { return store_->backups()->Delete(name); }

  Status Verify(const std::string& table) override {
    return ForEach(table, [](Tablet* tablet) { return tablet->VerifyFiles(); });
  }
  Status CheckChanges(const std::string& table) override;
  Status CheckNoOrphans() override;
  Status Close() override { return store_->Close(); }

 private:
  Status ForEach(const std::string& table, const std::function<Status(Tablet*)>& work) {
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, store_->Tablets(table));
    for (const auto& tablet : tablets) RETURN_IF_ERROR(work(tablet.get()));
    return OkStatus();
  }

  const std::string directory_;
  const std::unique_ptr<Store> store_;
};

Status StoreToWalk::CheckChanges(const std::string& name) {
  ASSIGN_OR_RETURN(CatalogTable table, store_->GetTable(name));
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, store_->Tablets(name));
  for (const auto& tablet : tablets) {
    ChangeReader reader(tablet->changes().Source(),
                        ChangePosition::From(table.table_id, tablet->range(), 0));
    uint64_t last = 0;  // of the tablet's own numbers
    for (bool is_whole = false; !is_whole;) {
      std::vector<ReadChange> changes;
      RETURN_IF_ERROR(reader.Read(&changes, &is_whole));
      for (const ReadChange& change : changes) {
        if (change.record.tablet_id != tablet->id()) continue;
        if (last != 0 && change.record.first_sequence != last + 1) {
          return DataLoss(fmt::format("LOST: changes of tablet {} behind {}", tablet->id(), last));
        }
        last = change.record.first_sequence + change.record.mutation.entries.size() - 1;
      }
    }
    if (last != 0 && last != tablet->last_sequence()) {
      return DataLoss(fmt::format("LOST: the last changes of tablet {}", tablet->id()));
    }
  }
  return OkStatus();
}

Status StoreToWalk::CheckNoOrphans() {
  auto fs = NewPosixFileSystem();
  constexpr int kTries = 1000;
  StatusOr<std::set<std::string>> orphans;
  for (int i = 0; i < kTries; ++i) {
    orphans = FindOrphans(store_.get(), fs.get(), directory_);
    if (orphans.ok() && orphans->empty()) return OkStatus();
    Clock::System()->SleepMicros(5000);
  }
  RETURN_IF_ERROR(orphans.status());
  return DataLoss("an orphan after the sweep: " + *orphans->begin());
}

}  // namespace

StatusOr<std::unique_ptr<WalkStore>> OpenWalkStore(const std::string& directory, bool check,
                                                   FileSystem* fs, Random* random) {
  ASSIGN_OR_RETURN(std::unique_ptr<Store> store,
                   Store::Open(directory, DrawOptions(check, fs, random)));
  return std::unique_ptr<WalkStore>(new StoreToWalk(directory, std::move(store)));
}

}  // namespace sippar::engine
