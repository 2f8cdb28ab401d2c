// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/store_upgrade.h"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/cluster_backups.h"
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
  // MANIFEST is removed first: after a crash, the other files are found as an unfinished backup,
  // which is removed again.
  std::sort(names->begin(), names->end(), std::greater<>());
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

struct BackupOfStore {
  BackupManifest manifest;
  std::set<uint64_t> files;
};

// kNotFound: the backup was not finished or is half removed, and is dropped. kDataLoss: it is
// damaged or lacks a file; it stays as it is, since it harms nothing. Other errors say nothing
// about the backup.
StatusOr<BackupOfStore> ReadBackupOfStore(engine::FileSystem* fs, const std::string& path) {
  ASSIGN_OR_RETURN(std::string body,
                   engine::ReadStateFile(fs, path + "/MANIFEST", engine::kBackupMagic));
  BackupOfStore backup;
  ASSIGN_OR_RETURN(backup.manifest, BackupManifest::Decode(body));
  for (const engine::TabletState& tablet : backup.manifest.tablets) {
    for (uint64_t id : tablet.FileIds()) backup.files.insert(id);
  }
  for (uint64_t id : backup.files) {
    std::string file = path + "/" + engine::SstableName(id);
    ASSIGN_OR_RETURN(bool exists, fs->Exists(file));
    if (!exists) return DataLoss(file + ": the file is missing");
  }
  return backup;
}

// A store's backup has second links to its files; a cluster's names files in sst/, so the links are
// made there again.
Status SaveBackups(engine::FileSystem* fs, const std::string& directory,
                   const std::vector<uint64_t>& numbers) {
  const std::string sst = store_paths::Sstables(directory);
  uint64_t next_dropped = 1;
  for (uint64_t number : numbers) {
    const std::string source = store_paths::BackupOfStore(directory, number);
    auto backup = ReadBackupOfStore(fs, source);
    if (backup.status().code() == StatusCode::kNotFound) continue;
    if (backup.status().code() == StatusCode::kDataLoss) continue;
    RETURN_IF_ERROR(backup.status());
    for (uint64_t id : backup->files) {
      const std::string name = "/" + engine::SstableName(id);
      Status linked = fs->Link(source + name, sst + name);
      if (!linked.ok() && linked.code() != StatusCode::kAlreadyExists) return linked;
    }
    RETURN_IF_ERROR(fs->SyncDir(sst));
    uint64_t saved_as = backup->manifest.info.is_dropped_table ? next_dropped++ : number;
    RETURN_IF_ERROR(Write(fs, directory, saved_as, backup->manifest));
  }
  return OkStatus();
}

// An interrupted upgrade may have left an older copy of the record.
Status SaveRecord(LockSession* session, const engine::NamedRecord& record) {
  const std::string path = lock_paths::Record(record.name);
  const Status made = session->Create(path, record.Encode(), LockFileKind::kLasting).status();
  if (made.code() != StatusCode::kAlreadyExists) return made;
  ASSIGN_OR_RETURN(LockFile old, session->Read(path));
  return session->Write(path, record.Encode(), old.version).status();
}

struct BackupNames {
  std::vector<uint64_t> of_store;    // directories of the store's backups, by number
  std::vector<uint64_t> of_cluster;  // manifests of the cluster's backups, by number
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
  ASSIGN_OR_RETURN(std::vector<engine::NamedRecord> records,
                   engine::ReadRecordsOfStore(fs, directory));
  // Names of SSTables begin with the epoch of the life that made them, so new epochs must be higher
  // than the store's.
  RETURN_IF_ERROR(session->RaiseEpoch(store->epoch()));
  RETURN_IF_ERROR(fs->CreateDir(store_paths::Backups(directory)));
  RETURN_IF_ERROR(fs->SyncDir(directory));
  ASSIGN_OR_RETURN(BackupNames names, ListBackups(fs, directory));
  // Manifests of an interrupted upgrade are removed, because the store may have changed since.
  for (uint64_t number : names.of_cluster) {
    RETURN_IF_ERROR(master::RemoveBackup(fs, directory, number));
  }
  for (const engine::NamedRecord& record : records) {
    RETURN_IF_ERROR(SaveRecord(session, record));
  }
  // Manifests of dropped tables get lower numbers than those of tables and so are adopted first: a
  // dropped table may have the name of a table.
  RETURN_IF_ERROR(SaveTables(fs, directory, store.get(), names.of_store.size() + 1));
  CRASH_POINT("upgrade.after_tables");
  RETURN_IF_ERROR(store->Close());
  store.reset();
  return SaveBackups(fs, directory, names.of_store);
}

Status EndUpgrade(engine::FileSystem* fs, const std::string& directory) {
  // `tablets` is removed last, so it tells whether there is anything left to do.
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
    const Status read = ReadBackupOfStore(fs, path).status();
    if (read.code() == StatusCode::kDataLoss) continue;
    RETURN_IF_ERROR(IgnoreMissing(read));
    RETURN_IF_ERROR(RemoveAll(fs, path));
  }
  for (const char* name : {"/EPOCH", "/EPOCH.tmp", "/CATALOG.tmp", "/RESERVE"}) {
    RETURN_IF_ERROR(IgnoreMissing(fs->Remove(directory + name)));
  }
  RETURN_IF_ERROR(RemoveAll(fs, directory + "/records"));
  return RemoveAll(fs, tablets);
}

}  // namespace sippar::cluster
