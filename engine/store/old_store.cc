// SPDX-License-Identifier: Apache-2.0
#include "engine/store/old_store.h"

#include <fmt/format.h>

#include <set>

#include "engine/tablet/giving_way.h"
#include "engine/tablet/state_file.h"

namespace sippar::engine {

OldStore::OldStore(const StoreOptions& options, StoreFiles files)
    : fs_(options.fs),
      files_(std::move(files)),
      states_(NewFileTabletStateStore(fs_, files_.tablets())),
      host_({.store = options,
             .sst_directory = files_.sst(),
             .epoch = files_.epoch->number(),
             .claim_epoch = [this] { return files_.epoch->Claim(); },
             .states = states_.get(),
             .change_directory = "",
             // Files stay when their last name goes: the cluster's tablets take over the same
             // files.
             .removes_files = false}) {}

StatusOr<std::unique_ptr<OldStore>> OldStore::Open(const std::string& directory,
                                                   StoreOptions options) {
  options.background = false;
  ASSIGN_OR_RETURN(StoreFiles files,
                   OpenStoreFiles(options.fs, directory, options.create_if_missing));
  std::unique_ptr<OldStore> store(new OldStore(options, std::move(files)));
  Status status = store->OpenTablets();
  if (status.ok()) status = store->Recover();
  if (status.ok()) store->SweepOrphans();
  RETURN_IF_ERROR(Annotate(MissingIsLoss(status), "open store " + directory));
  return store;
}

Status OldStore::OpenTablets() {
  ASSIGN_OR_RETURN(std::string body, ReadStateFile(fs_, files_.catalog(), kCatalogMagic));
  auto catalog = Catalog::Decode(body);
  if (!catalog.ok()) return Annotate(catalog.status(), files_.catalog());
  catalog_ = std::move(*catalog);
  for (const auto& [name, table] : catalog_.tables) {
    auto schema = std::make_shared<const TableSchema>(table.schema);
    for (const CatalogTablet& tablet : table.tablets) {
      ASSIGN_OR_RETURN(TabletState state, states_->Load(tablet.tablet_id));
      RETURN_IF_ERROR(CheckFiles(state));
      host_.Serve(host_.Open(std::move(state), schema));
    }
  }
  return OkStatus();
}

// Checks now that every SSTable exists: files are opened at first use, which would be after the
// upgrade, when the old directory can no longer be repaired.
Status OldStore::CheckFiles(const TabletState& state) const {
  for (uint64_t id : state.FileIds()) {
    std::string path = files_.sst() + "/" + SstableName(id);
    ASSIGN_OR_RETURN(bool exists, fs_->Exists(path));
    if (!exists) return DataLoss(path + ": the file is missing");
  }
  return OkStatus();
}

Status OldStore::Recover() {
  auto replayed = host_.Replay(files_.wal());
  if (replayed.status().code() == StatusCode::kDataLoss) {
    return DataLoss(fmt::format("{}; 'sippar admin log salvage {}' tells what is left of the log",
                                MessageOf(replayed.status()), files_.directory));
  }
  ASSIGN_OR_RETURN(ReplayedLog old, std::move(replayed));
  std::vector<std::string> unused = std::move(old.unused);
  host_.StartLog(files_.wal(), std::move(old));
  // What was replayed may be only in this machine's memory. It is made durable before Export builds
  // SSTables and states on it.
  RETURN_IF_ERROR(Annotate(host_.SettleLog(), "commit log"));
  for (const std::string& name : unused) (void)fs_->Remove(files_.wal() + "/" + name);
  return OkStatus();
}

// Removes the files that interrupted flushes and compactions left, since Export may need the room
// on a full disk. Best effort: the cluster sweeps what stays.
void OldStore::SweepOrphans() {
  auto names = fs_->List(files_.sst());
  if (!names.ok()) return;
  const std::vector<uint64_t> named = host_.context()->files->Named();
  const std::set<uint64_t> kept(named.begin(), named.end());
  for (const std::string& name : *names) {
    auto id = ParseSstableName(name);
    if (id.has_value() && !kept.contains(*id)) (void)fs_->Remove(files_.sst() + "/" + name);
  }
}

StatusOr<std::vector<OldStore::Table>> OldStore::Export() {
  std::vector<Table> tables;
  for (const auto& [name, entry] : catalog_.tables) {
    std::vector<std::shared_ptr<Tablet>> tablets;
    for (const CatalogTablet& tablet : entry.tablets) {
      tablets.push_back(host_.Find(tablet.tablet_id));
    }
    GivingWay giving_way(std::move(tablets));
    RETURN_IF_ERROR(giving_way.Begin());
    Table& table = tables.emplace_back();
    table.schema = entry.schema;
    table.changed_at_us = entry.changed_at_us;
    ASSIGN_OR_RETURN(table.tablets, giving_way.Close());
    // Tables of the cluster have other ids, and no client of the old store repeats a request there.
    for (TabletState& state : table.tablets) state.requests.clear();
  }
  return tables;
}

StatusOr<std::vector<NamedRecord>> ReadRecordsOfStore(FileSystem* fs,
                                                      const std::string& directory) {
  const std::string folder = directory + "/records";
  ASSIGN_OR_RETURN(bool exists, fs->Exists(folder));
  std::vector<NamedRecord> records;
  if (!exists) return records;
  // A killed process may have left renames that are only in memory. The upgrade builds on what it
  // reads here, so it is made durable first.
  RETURN_IF_ERROR(fs->SyncDir(folder));
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(folder));
  for (const std::string& file : names) {
    if (file.ends_with(".tmp")) continue;  // left by a change that did not happen
    std::string path = folder + "/" + file;
    ASSIGN_OR_RETURN(std::string body, ReadStateFile(fs, path, kRecordMagic));
    auto record = NamedRecord::Decode(body);
    if (!record.ok()) return Annotate(record.status(), path);
    if (RecordFileName(record->name) != file) {
      return DataLoss(fmt::format("{} holds the record '{}' of another file", path, record->name));
    }
    records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace sippar::engine
