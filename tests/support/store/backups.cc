// Backups. Order of a new one: directory, second names, manifest. Order of a removal: manifest,
// names, directory. So a directory without a manifest is no backup, and goes at the next start.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/store/backups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "engine/base/crash_point.h"
#include "engine/tablet/state_file.h"

namespace sippar::engine {
namespace {

constexpr std::string_view kManifest = "/MANIFEST";

std::set<uint64_t> FilesOf(const std::vector<TabletState>& tablets) {
  std::set<uint64_t> ids;
  for (const TabletState& tablet : tablets) {
    for (uint64_t id : tablet.FileIds()) ids.insert(id);
  }
  return ids;
}

BackupManifest ManifestOf(const std::string& name, const std::string& table, int64_t started_us,
                          int64_t expires_us, const Store::Export& made) {
  BackupManifest manifest;
  manifest.info.name = name;
  manifest.info.source_table = table;
  manifest.info.started_us = started_us;
  manifest.info.expires_us = expires_us;
  manifest.info.size_bytes = StoredBytesOf(made.tablets);
  manifest.schema = made.schema;
  manifest.tablets = made.tablets;
  return manifest;
}

Status NoBackup(const std::string& name) { return NotFound(fmt::format("no backup '{}'", name)); }

}  // namespace

std::string Backups::DirectoryOf(uint64_t number) const {
  return fmt::format("{}/{:016x}", files_->backups(), number);
}

Status Backups::Open() {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(bool exists, fs_->Exists(files_->backups()));
  if (!exists) return OkStatus();
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs_->List(files_->backups()));
  for (const std::string& name : names) {
    uint64_t number = 0;
    auto parsed = std::from_chars(name.data(), name.data() + name.size(), number, 16);
    if (parsed.ec != std::errc() || DirectoryOf(number) != files_->backups() + "/" + name) continue;
    ASSIGN_OR_RETURN(bool whole, fs_->Exists(DirectoryOf(number).append(kManifest)));
    if (whole) {
      // Seen by somebody, so durable before anything builds on it.
      RETURN_IF_ERROR(fs_->SyncDir(DirectoryOf(number)));
      auto manifest = ReadManifest(number);
      if (manifest.ok()) {
        held_[number] = std::move(manifest->info);
      } else {  // one damaged backup is no reason not to open the store
        store_->metrics()->Get("backups_unreadable")->Add();
      }
    } else if (!Remove(number).ok()) {
      store_->metrics()->Get("orphans_not_removed")->Add();
    }
  }
  return OkStatus();
}

StatusOr<BackupManifest> Backups::ReadManifest(uint64_t number) const {
  std::string path = DirectoryOf(number).append(kManifest);
  ASSIGN_OR_RETURN(std::string body, ReadStateFile(fs_, path, kBackupMagic));
  auto manifest = BackupManifest::Decode(body);
  return manifest.ok() ? std::move(manifest) : Annotate(manifest.status(), path);
}

Status Backups::WriteManifest(uint64_t number, const BackupManifest& manifest) const {
  return WriteStateFile(fs_, DirectoryOf(number).append(kManifest), kBackupMagic,
                        manifest.Encode());
}

Backups::Held::iterator Backups::Find(const std::string& name, bool is_dropped_table) {
  int64_t now_us = clock_->NowMicros();
  auto found = held_.end();
  for (auto at = held_.begin(); at != held_.end(); ++at) {
    const BackupInfo& info = at->second;
    if (info.name == name && info.is_dropped_table == is_dropped_table &&
        info.expires_us > now_us) {
      found = at;
    }
  }
  return found;
}

StatusOr<Backups::Held::iterator> Backups::FindLive(const std::string& name) {
  auto found = Find(name, /*is_dropped_table=*/false);
  if (found == held_.end()) return NoBackup(name);
  return found;
}

Status Backups::Check(const std::string& name) {
  if (Find(name, /*is_dropped_table=*/false) != held_.end()) {
    return AlreadyExists(fmt::format("backup '{}' exists already", name));
  }
  if (held_.size() < kBackupsMax) return OkStatus();
  return ResourceExhausted(fmt::format("a store holds at most {} backups", kBackupsMax));
}

StatusOr<uint64_t> Backups::Add(BackupManifest manifest, const std::string& directory) {
  ASSIGN_OR_RETURN(uint64_t number, store_->host()->NextId());
  manifest.info.ended_us = clock_->NowMicros();
  if (Status filled = Fill(number, manifest, directory); !filled.ok()) {
    (void)Remove(number);  // what stays goes at the next start
    return filled;
  }
  held_[number] = std::move(manifest.info);
  return number;
}

Status Backups::Fill(uint64_t number, const BackupManifest& manifest,
                     const std::string& directory) {
  RETURN_IF_ERROR(fs_->CreateDir(files_->backups()));
  RETURN_IF_ERROR(fs_->SyncDir(files_->directory));
  std::string target = DirectoryOf(number);
  RETURN_IF_ERROR(fs_->CreateDir(target));
  RETURN_IF_ERROR(fs_->SyncDir(files_->backups()));
  for (uint64_t id : FilesOf(manifest.tablets)) {
    std::string name = SstableName(id);
    RETURN_IF_ERROR(fs_->Link(directory + "/" + name, target + "/" + name));
    CRASH_POINT("backup.after_link");
  }
  RETURN_IF_ERROR(WriteManifest(number, manifest));  // which syncs the names, too
  CRASH_POINT("backup.after_manifest");
  return OkStatus();
}

Status Backups::Remove(uint64_t number) {
  std::string directory = DirectoryOf(number);
  Status removed = fs_->Remove(directory + std::string(kManifest));
  if (!removed.ok() && removed.code() != StatusCode::kNotFound) return removed;
  RETURN_IF_ERROR(fs_->SyncDir(directory));
  CRASH_POINT("backup.after_removal");
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs_->List(directory));
  for (const std::string& name : names) RETURN_IF_ERROR(fs_->Remove(directory + "/" + name));
  return fs_->RemoveDir(directory);
}

StatusOr<BackupInfo> Backups::Create(const std::string& name, const std::string& table,
                                     int64_t expires_us) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(Check(name));
  int64_t started_us = clock_->NowMicros();
  ASSIGN_OR_RETURN(Store::Export made, store_->ExportTable(table));
  ASSIGN_OR_RETURN(uint64_t number,
                   Add(ManifestOf(name, table, started_us, expires_us, made), files_->sst()));
  return held_[number];
}

StatusOr<BackupInfo> Backups::Copy(const std::string& source, const std::string& name,
                                   int64_t expires_us) {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Held::iterator from, FindLive(source));
  RETURN_IF_ERROR(Check(name));
  ASSIGN_OR_RETURN(BackupManifest manifest, ReadManifest(from->first));
  manifest.info.name = name;
  manifest.info.source_backup = source;
  manifest.info.expires_us = expires_us;
  ASSIGN_OR_RETURN(uint64_t number, Add(std::move(manifest), DirectoryOf(from->first)));
  return held_[number];
}

StatusOr<BackupInfo> Backups::Get(const std::string& name) {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Held::iterator found, FindLive(name));
  return found->second;
}

std::vector<BackupInfo> Backups::List() {
  MutexLock lock(&mutex_);
  int64_t now_us = clock_->NowMicros();
  std::vector<BackupInfo> all;
  for (const auto& [number, info] : held_) {
    if (!info.is_dropped_table && info.expires_us > now_us) all.push_back(info);
  }
  return all;
}

StatusOr<BackupInfo> Backups::SetExpiry(const std::string& name, int64_t expires_us) {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Held::iterator found, FindLive(name));
  ASSIGN_OR_RETURN(BackupManifest manifest, ReadManifest(found->first));
  manifest.info.expires_us = expires_us;
  RETURN_IF_ERROR(WriteManifest(found->first, manifest));
  return found->second = manifest.info;
}

Status Backups::Delete(const std::string& name) {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Held::iterator found, FindLive(name));
  return Discard(found);
}

// What stays after an error is not there for anybody, and tried again with those that expire.
Status Backups::Discard(Held::iterator backup) {
  backup->second.expires_us = 0;
  RETURN_IF_ERROR(Remove(backup->first));
  held_.erase(backup);
  return OkStatus();
}

Status Backups::Import(uint64_t number, const std::string& table) {
  ASSIGN_OR_RETURN(BackupManifest manifest, ReadManifest(number));
  manifest.schema.name = table;
  manifest.schema.options.erase(kProtectedOption);
  return store_->ImportTable(manifest.schema, std::move(manifest.tablets), DirectoryOf(number));
}

Status Backups::Restore(const std::string& name, const std::string& table) {
  MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Held::iterator found, FindLive(name));
  return Annotate(Import(found->first, table), fmt::format("restore backup {}", name));
}

Status Backups::DropTable(const std::string& table, int64_t keep_us) {
  MutexLock lock(&mutex_);
  int64_t now_us = clock_->NowMicros();
  Status dropped = store_->DropTable(table, [&](const Store::Export& made) REQUIRES(mutex_) {
    BackupManifest manifest = ManifestOf(table, table, now_us, now_us + keep_us, made);
    manifest.info.is_dropped_table = true;
    return Add(std::move(manifest), files_->sst()).status();
  });
  // A table that cannot be kept may be in the way of everything else: it goes all the same.
  if (HasCause(dropped, Cause::kDiskFull)) dropped = store_->DropTable(table);
  auto is_dropped_table = [](const auto& entry) { return entry.second.is_dropped_table; };
  auto count = std::count_if(held_.begin(), held_.end(), is_dropped_table);
  if (count > kDroppedTablesMax) {
    (void)Discard(std::find_if(held_.begin(), held_.end(), is_dropped_table));  // the oldest
  }
  return dropped;
}

Status Backups::Undelete(const std::string& table) {
  MutexLock lock(&mutex_);
  auto found = Find(table, /*is_dropped_table=*/true);
  if (found == held_.end()) {
    return NotFound(fmt::format("no table '{}' was dropped that is still kept", table));
  }
  RETURN_IF_ERROR(Import(found->first, table));
  (void)Discard(found);
  return OkStatus();
}

void Backups::Expire() {
  MutexLock lock(&mutex_);
  int64_t now_us = clock_->NowMicros();
  std::erase_if(held_, [&](const auto& entry) {
    return entry.second.expires_us <= now_us && Remove(entry.first).ok();
  });
}

}  // namespace sippar::engine
