// Opening a store: identity, catalog, tablets, log, orphan sweep.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "engine/base/crash_point.h"
#include "engine/tablet/state_file.h"
#include "tests/support/store/backups.h"
#include "tests/support/store/store.h"

namespace sippar::engine {
namespace {
constexpr int64_t kExpiryMicros = 60'000'000;  // how often old changes are looked for
}  // namespace

Store::Store(const StoreOptions& options, StoreFiles files)
    : options_(options),
      files_(std::move(files)),
      states_(NewFileTabletStateStore(options.fs, files_.tablets())),
      host_({.store = options,
             .sst_directory = files_.sst(),
             .epoch = files_.epoch->number(),
             .claim_epoch = [this] { return files_.epoch->Claim(); },
             .states = states_.get(),
             .change_directory = files_.changes()}),
      records_(options.fs, files_.directory) {}

Store::~Store() { (void)Close(); }

Status Store::Close() { return host_.Close(); }

StatusOr<std::unique_ptr<Store>> Store::Open(const std::string& directory,
                                             const StoreOptions& options) {
  ASSIGN_OR_RETURN(StoreFiles files,
                   OpenStoreFiles(options.fs, directory, options.create_if_missing));
  std::unique_ptr<Store> store(new Store(options, std::move(files)));
  auto catalog = ReadStateFile(options.fs, store->files_.catalog(), kCatalogMagic);
  Status status = catalog.status();
  if (status.ok()) status = store->records_.Load();
  if (status.ok()) status = store->OpenTablets(*catalog);
  if (status.ok()) status = store->Recover();
  if (status.ok()) status = store->SweepOrphans();
  if (status.ok()) status = store->SweepChanges();
  store->backups_ =
      std::make_unique<Backups>(store.get(), options.fs, options.clock, &store->files_);
  if (status.ok()) status = store->backups_->Open();
  CRASH_POINT("open.after_sweep");
  RETURN_IF_ERROR(Annotate(MissingIsLoss(status), "open store " + directory));
  store->host_.StartBackground([raw = store.get(), next_expiry_us = int64_t{0}]() mutable {
    int64_t now_us = raw->options_.clock->MonotonicNanos() / 1000;
    if (now_us >= next_expiry_us) {
      next_expiry_us = now_us + kExpiryMicros;
      if (!raw->ExpireChanges().ok()) raw->metrics()->Get("change_expiry_errors")->Add();
      raw->backups_->Expire();
    }
    return raw->ReshapeOnce();
  });
  return store;
}

Status Store::OpenTablets(const std::string& catalog_body) {
  MutexLock admin_lock(&admin_mutex_);
  auto catalog = Catalog::Decode(catalog_body);
  if (!catalog.ok()) return Annotate(catalog.status(), files_.catalog());
  catalog_ = std::move(*catalog);
  for (const auto& [name, entry] : catalog_.tables) {
    auto table = std::make_shared<OpenTable>();
    table->entry = entry;
    auto schema = std::make_shared<const TableSchema>(entry.schema);
    for (const CatalogTablet& tablet : entry.tablets) {
      ASSIGN_OR_RETURN(TabletState state, states_->Load(tablet.tablet_id));
      table->tablets.push_back(host_.Open(std::move(state), schema));
      host_.Serve(table->tablets.back());
    }
    MutexLock lock(&tables_mutex_);
    tables_[name] = std::move(table);
  }
  return OkStatus();
}

Status Store::Recover() {
  auto replayed = host_.Replay(files_.wal());
  if (replayed.status().code() == StatusCode::kDataLoss) {
    return DataLoss(fmt::format("{}; 'sippar admin log salvage {}' tells what is left of the log",
                                MessageOf(replayed.status()), files_.directory));
  }
  ASSIGN_OR_RETURN(ReplayedLog old, std::move(replayed));
  CRASH_POINT("open.after_replay");
  std::vector<std::string> unused = std::move(old.unused);
  host_.StartLog(files_.wal(), std::move(old));
  RETURN_IF_ERROR(Annotate(host_.SettleLog(), "commit log"));
  for (const std::string& name : unused) RemoveOrphan(files_.wal() + "/" + name);
  return OkStatus();
}

// What stays is in nobody's way and is met again at the next start.
void Store::RemoveOrphan(const std::string& path) { CountOrphan(options_.fs->Remove(path)); }

void Store::CountOrphan(const Status& removed) {
  CRASH_POINT("sweep.after_removal");
  metrics()->Get(removed.ok() ? "orphans_swept" : "orphans_not_removed")->Add();
}

// Mark and sweep: files that no tablet names were left by a crash or a failed job. A file that is
// named and not there is noticed here, as SSTables open at first use.
Status Store::SweepOrphans() {
  std::set<std::string> named;
  for (uint64_t id : host_.context()->files->Named())
    named.insert(host_.context()->files->PathOf(id));
  ASSIGN_OR_RETURN(std::vector<std::string> names, options_.fs->List(files_.sst()));
  for (const std::string& name : names) {
    std::string path = files_.sst() + "/" + name;
    bool ours = name.size() == 20 && name.ends_with(".sst");
    ours = ours || name.ends_with(".sst.tmp");
    if (named.erase(path) == 0 && ours) RemoveOrphan(path);
  }
  if (!named.empty()) return DataLoss(*named.begin() + ": the file is missing");
  std::set<uint64_t> tablets;
  for (const auto& tablet : host_.All()) tablets.insert(tablet->id());
  ASSIGN_OR_RETURN(std::vector<uint64_t> states, states_->List());
  for (uint64_t id : states) {
    if (!tablets.contains(id)) CountOrphan(states_->Remove(id));
  }
  return SweepTemporaries();
}

// State files that a crash kept from taking their places: of tablets, some of which may be gone, of
// the catalog and of the epoch.
Status Store::SweepTemporaries() {
  for (const std::string& folder : {files_.directory, files_.tablets()}) {
    ASSIGN_OR_RETURN(std::vector<std::string> names, options_.fs->List(folder));
    for (const std::string& name : names) {
      bool ours = name == "CATALOG.tmp" || name == "EPOCH.tmp" || name.ends_with(".tablet.tmp");
      if (ours) RemoveOrphan(folder + "/" + name);
    }
  }
  return OkStatus();
}

}  // namespace sippar::engine
