// A store's directory becomes a cluster's. SPDX-License-Identifier: Apache-2.0
#include "cluster/node/store_upgrade.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/master/cluster_backups.h"
#include "engine/base/crash_point.h"
#include "engine/store/old_store.h"
#include "engine/tablet/state_file.h"

namespace sippar::cluster {
namespace {

using engine::BackupManifest;

Status Write(engine::FileSystem* fs, const std::string& directory, uint64_t number,
             const BackupManifest& manifest) {
  return engine::WriteStateFile(fs, store_paths::Backup(directory, number), engine::kBackupMagic,
                                manifest.Encode());
}

Status IgnoreMissing(const Status& status) {
  return status.code() == StatusCode::kNotFound ? OkStatus() : status;
}

Status RemoveAll(engine::FileSystem* fs, const std::string& directory) {
  auto names = fs->List(directory);
  if (!names.ok()) return IgnoreMissing(names.status());
  std::sort(names->begin(), names->end());  // a MANIFEST last
  for (const std::string& name : *names) RETURN_IF_ERROR(fs->Remove(directory + "/" + name));
  return fs->RemoveDir(directory);
}

Status SaveTables(engine::FileSystem* fs, const std::string& directory, engine::OldStore* store,
                  uint64_t number) {
  ASSIGN_OR_RETURN(std::vector<engine::OldStore::Table> tables, store->Export());
  for (engine::OldStore::Table& table : tables) {
    BackupManifest manifest;
    manifest.info.name = manifest.info.source_table = table.schema.name;
    manifest.info.started_us = manifest.info.ended_us = table.changed_at_us;
    manifest.info.expires_us = INT64_MAX;
    manifest.info.size_bytes = engine::StoredBytesOf(table.tablets);
    manifest.schema = std::move(table.schema);
    manifest.tablets = std::move(table.tablets);
    RETURN_IF_ERROR(Write(fs, directory, number++, manifest));
  }
  return OkStatus();
}

// One damaged backup is in nobody's way, and stays as it is.
StatusOr<BackupManifest> ReadBackupOfStore(engine::FileSystem* fs, const std::string& path) {
  ASSIGN_OR_RETURN(std::string body,
                   engine::ReadStateFile(fs, path + "/MANIFEST", engine::kBackupMagic));
  return BackupManifest::Decode(body);
}

// A store's backups have second names of their files; a cluster's name those in sst/.
Status SaveBackups(engine::FileSystem* fs, const std::string& directory,
                   const std::vector<uint64_t>& numbers) {
  const std::string sst = store_paths::Sstables(directory);
  uint64_t next_dropped = 1;
  for (uint64_t number : numbers) {
    const std::string source = store_paths::BackupOfStore(directory, number);
    auto manifest = ReadBackupOfStore(fs, source);
    if (!manifest.ok()) continue;
    std::set<uint64_t> files;
    for (const engine::TabletState& tablet : manifest->tablets) {
      for (uint64_t id : tablet.FileIds()) files.insert(id);
    }
    for (uint64_t id : files) {
      const std::string name = "/" + engine::SstableName(id);
      Status linked = fs->Link(source + name, sst + name);
      if (!linked.ok() && linked.code() != StatusCode::kAlreadyExists) return linked;
    }
    RETURN_IF_ERROR(fs->SyncDir(sst));
    uint64_t saved_as = manifest->info.is_dropped_table ? next_dropped++ : number;
    RETURN_IF_ERROR(Write(fs, directory, saved_as, *manifest));
  }
  return OkStatus();
}

struct BackupNames {
  std::vector<uint64_t> of_store;    // directories
  std::vector<uint64_t> of_cluster;  // manifests
};

StatusOr<BackupNames> ListBackups(engine::FileSystem* fs, const std::string& directory) {
  BackupNames found;
  auto names = fs->List(store_paths::Backups(directory));
  if (!names.ok()) return names.status();
  std::sort(names->begin(), names->end());
  for (const std::string& name : *names) {
    if (auto number = store_paths::ParseBackup(name)) {
      found.of_cluster.push_back(*number);
    } else if (auto old = store_paths::ParseBackupOfStore(name)) {
      found.of_store.push_back(*old);
    }
  }
  return found;
}

}  // namespace

StatusOr<bool> IsStore(engine::FileSystem* fs, const std::string& directory) {
  return fs->Exists(directory + "/CATALOG");
}

Status BeginUpgrade(const std::string& directory, const engine::StoreOptions& options,
                    LockSession* session) {
  engine::FileSystem* fs = options.fs;
  ASSIGN_OR_RETURN(std::unique_ptr<engine::OldStore> store,
                   engine::OldStore::Open(directory, options));
  // Names of files have a life's epoch in them.
  RETURN_IF_ERROR(session->RaiseEpoch(store->epoch()));
  RETURN_IF_ERROR(fs->CreateDir(store_paths::Backups(directory)));
  RETURN_IF_ERROR(fs->SyncDir(directory));
  ASSIGN_OR_RETURN(BackupNames names, ListBackups(fs, directory));
  // Of an upgrade that did not end; the store may have changed since.
  for (uint64_t number : names.of_cluster) {
    RETURN_IF_ERROR(master::RemoveBackup(fs, directory, number));
  }
  ASSIGN_OR_RETURN(std::vector<engine::NamedRecord> records,
                   engine::ReadRecordsOfStore(fs, directory));
  for (const engine::NamedRecord& record : records) {
    Status saved =
        session->Create(lock_paths::Record(record.name), record.Encode(), LockFileKind::kLasting)
            .status();
    if (!saved.ok() && saved.code() != StatusCode::kAlreadyExists) return saved;
  }
  // Dropped ones come before them: their names may be those of tables.
  RETURN_IF_ERROR(SaveTables(fs, directory, store.get(), names.of_store.size() + 1));
  CRASH_POINT("upgrade.after_tables");
  RETURN_IF_ERROR(store->Close());
  store.reset();
  return SaveBackups(fs, directory, names.of_store);
}

Status EndUpgrade(engine::FileSystem* fs, const std::string& directory) {
  const std::string tablets = directory + "/tablets";
  ASSIGN_OR_RETURN(bool has_rest, fs->Exists(tablets));
  if (!has_rest) return OkStatus();
  RETURN_IF_ERROR(IgnoreMissing(fs->Remove(directory + "/CATALOG")));
  RETURN_IF_ERROR(fs->SyncDir(directory));
  CRASH_POINT("upgrade.after_catalog");
  RETURN_IF_ERROR(engine::WriteStoreFormat(fs, directory, kClusterFormat));
  ASSIGN_OR_RETURN(BackupNames backups, ListBackups(fs, directory));
  for (uint64_t number : backups.of_store) {
    const std::string path = store_paths::BackupOfStore(directory, number);
    if (ReadBackupOfStore(fs, path).ok()) RETURN_IF_ERROR(RemoveAll(fs, path));
  }
  for (const char* name : {"/EPOCH", "/EPOCH.tmp", "/CATALOG.tmp", "/RESERVE"}) {
    RETURN_IF_ERROR(IgnoreMissing(fs->Remove(directory + name)));
  }
  RETURN_IF_ERROR(RemoveAll(fs, directory + "/records"));
  return RemoveAll(fs, tablets);
}

}  // namespace sippar::cluster
