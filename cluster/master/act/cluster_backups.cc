// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/cluster_backups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cluster/api/store_paths.h"
#include "cluster/net/failure.h"
#include "engine/base/crash_point.h"
#include "engine/changes/change_position.h"
#include "engine/model/schema.h"
#include "engine/tablet/reshape.h"
#include "engine/tablet/state_file.h"

namespace sippar::cluster::master {

using engine::BackupManifest;
using engine::TabletState;

namespace {

constexpr int kTriesMax = 20;  // limit of reads of a table whose tablets split or merge each time
// Suffix of the mark of a backup, an empty file. The mark is created after the backup's manifest
// and removed before the manifest is. So a mark without a manifest shows that the manifest was
// lost.
constexpr std::string_view kMadeSuffix = ".made";

// True if each row belongs to exactly one of the tablets. Gaps or overlaps are possible, because
// the tablets' records are read at different moments.
bool IsWhole(const std::vector<TabletState>& tablets) {
  std::string row;
  for (const TabletState& tablet : tablets) {
    if (tablet.range.start != row || (&tablet != &tablets.back() && tablet.range.limit.empty())) {
      return false;
    }
    row = tablet.range.limit;
  }
  return !tablets.empty() && row.empty();
}

Status ManifestDamage(const Status& damage) {
  return DataLoss(
      fmt::format("backup manifest {}; put the file back from a copy", MessageOf(damage)));
}

}  // namespace

Status ScanBackups(engine::FileSystem* fs, const std::string& directory,
                   const std::function<Status(uint64_t number, BackupManifest manifest)>& visit) {
  auto names = fs->List(store_paths::Backups(directory));
  if (names.status().code() == StatusCode::kNotFound) return OkStatus();
  RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    std::optional<uint64_t> number = store_paths::ParseBackup(name);
    if (!number.has_value()) continue;
    const std::string path = store_paths::Backup(directory, *number);
    auto body = engine::ReadStateFile(fs, path, engine::kBackupMagic);
    if (body.status().code() == StatusCode::kNotFound) continue;  // deleted since the listing
    if (body.status().code() == StatusCode::kDataLoss) return ManifestDamage(body.status());
    RETURN_IF_ERROR(body.status());
    auto manifest = BackupManifest::Decode(*body);
    if (!manifest.ok()) return ManifestDamage(Annotate(manifest.status(), path));
    RETURN_IF_ERROR(visit(*number, *std::move(manifest)));
  }
  return OkStatus();
}

StatusOr<std::vector<std::string>> ListLostBackups(engine::FileSystem* fs,
                                                   const std::string& directory) {
  std::vector<std::string> lost;
  const std::string backups = store_paths::Backups(directory);
  auto names = fs->List(backups);
  if (names.status().code() == StatusCode::kNotFound) return lost;
  RETURN_IF_ERROR(names.status());
  for (std::string_view mark : *names) {
    if (!mark.ends_with(kMadeSuffix)) continue;
    const std::string manifest(mark.substr(0, mark.size() - kMadeSuffix.size()));
    if (std::binary_search(names->begin(), names->end(), manifest)) continue;
    // If the backup was deleted just now, the listing saw the mark before RemoveBackup removed it,
    // so the mark is checked again.
    ASSIGN_OR_RETURN(bool is_marked, fs->Exists(fmt::format("{}/{}", backups, mark)));
    if (is_marked) lost.push_back(fmt::format("{}/{}", backups, manifest));
  }
  return lost;
}

Status RemoveBackup(engine::FileSystem* fs, const std::string& directory, uint64_t number) {
  Status unmarked = fs->Remove(store_paths::Backup(directory, number) + std::string(kMadeSuffix));
  // The removal of the mark must be durable before the manifest is removed; otherwise a crash could
  // leave the mark alone, and the deleted backup would be reported as lost.
  if (!unmarked.ok() && unmarked.code() != StatusCode::kNotFound) return unmarked;
  if (unmarked.ok()) RETURN_IF_ERROR(fs->SyncDir(store_paths::Backups(directory)));
  Status removed = fs->Remove(store_paths::Backup(directory, number));
  if (!removed.ok() && removed.code() != StatusCode::kNotFound) return removed;
  return fs->SyncDir(store_paths::Backups(directory));
}

StatusOr<std::vector<ClusterBackups::Held>> ClusterBackups::ReadAll() const {
  // Fails if this process is not the master. A master that doubts its clock takes no backup for
  // expired: the sweep does not remove it either.
  bool is_doubted = false;
  RETURN_IF_ERROR(
      driver_->Look([&](MasterState& state) { is_doubted = !state.WhyClockDoubted().empty(); }));
  std::vector<Held> all;
  int64_t now_us = places_.clock->NowMicros();
  auto keep = [&](uint64_t number, BackupManifest manifest) {
    if (is_doubted || manifest.info.expires_us > now_us) {
      all.push_back({number, std::move(manifest)});
    }
    return OkStatus();
  };
  RETURN_IF_ERROR(ScanBackups(places_.fs, places_.directory, keep));
  std::sort(all.begin(), all.end(),
            [](const Held& a, const Held& b) { return a.number < b.number; });
  return all;
}

StatusOr<ClusterBackups::Held> ClusterBackups::Find(const std::string& name) const {
  ASSIGN_OR_RETURN(std::vector<Held> all, ReadAll());
  for (Held& held : all) {
    if (held.manifest.info.name == name) return std::move(held);
  }
  return NotFound(fmt::format("backup '{}' not found", name));
}

Status ClusterBackups::CheckNew(const std::string& name) const {
  ASSIGN_OR_RETURN(std::vector<Held> all, ReadAll());
  for (const Held& held : all) {
    if (held.manifest.info.name != name) continue;
    return AlreadyExists(fmt::format("backup '{}' already exists", name));
  }
  if (all.size() < engine::kBackupsMax) return OkStatus();
  return ResourceExhausted(fmt::format(
      "the store has {} backups, which is the limit; delete one first", engine::kBackupsMax));
}

StatusOr<BackupInfo> ClusterBackups::Write(const Held& held) const {
  RETURN_IF_ERROR(engine::WriteStateFile(places_.fs,
                                         store_paths::Backup(places_.directory, held.number),
                                         engine::kBackupMagic, held.manifest.Encode()));
  // Errors are ignored: without the mark, a later loss of the manifest goes unnoticed, which is no
  // reason to fail the backup.
  auto mark = places_.fs->Create(store_paths::Backup(places_.directory, held.number) +
                                 std::string(kMadeSuffix));
  if (mark.ok()) (void)(*mark)->Close();
  return held.manifest.info;
}

StatusOr<BackupInfo> ClusterBackups::Add(BackupManifest manifest) {
  uint64_t number = 0;
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) { number = state.NewId(); }));
  RETURN_IF_ERROR(places_.fs->CreateDir(store_paths::Backups(places_.directory)));
  RETURN_IF_ERROR(places_.fs->SyncDir(places_.directory));
  // A copy keeps the `ended_us` of its source, because it has the table as of that time.
  const bool is_copy = !manifest.info.source_backup.empty();
  if (!is_copy) manifest.info.ended_us = places_.clock->NowMicros();
  CRASH_POINT("cluster_backup.before_manifest");
  return Write({number, std::move(manifest)});
}

Status ClusterBackups::Collect(const std::string& table, const CallTime& time,
                               BackupManifest* manifest, int64_t* read_ns) const {
  for (int i = 0; i < kTriesMax; ++i) {
    ASSIGN_OR_RETURN(TableInfo info, admin_->Do(calls::GetTable{table}, time.Left()));
    RETURN_IF_ERROR(admin_->Do(calls::Flush{table}, time.Left()));
    *read_ns = places_.clock->MonotonicNanos();
    std::vector<TabletState> states;
    auto add = [&](TabletRecord record) {
      record.state.requests.clear();  // request ids belong to writes to the source table
      states.push_back(std::move(record.state));
      return true;
    };
    RETURN_IF_ERROR(places_.metadata->Scan(info.table_id, info.table_id, add));
    ASSIGN_OR_RETURN(TableInfo after, admin_->Do(calls::GetTable{table}, time.Left()));
    bool same = after.table_id == info.table_id && after.schema_version == info.schema_version;
    if (!same || !IsWhole(states)) continue;
    manifest->schema = std::move(info.schema);
    manifest->tablets = std::move(states);
    return OkStatus();
  }
  return Unavailable(fmt::format(
      "table {}: no backup was made (its tablets split or merged, or its schema changed, "
      "during each of {} attempts); try again",
      table, kTriesMax));
}

StatusOr<BackupInfo> ClusterBackups::Perform(const calls::CreateBackup& asked,
                                             const CallTime& time) {
  const auto& [name, table, expires_us] = asked;
  engine::MutexLock lock(&mutex_);
  RETURN_IF_ERROR(CheckNew(name));
  BackupManifest manifest;
  manifest.info.name = name;
  manifest.info.source_table = table;
  manifest.info.started_us = places_.clock->NowMicros();
  manifest.info.expires_us = expires_us;
  int64_t read_ns = 0;
  RETURN_IF_ERROR(Collect(table, time, &manifest, &read_ns));
  manifest.info.size_bytes = engine::StoredBytesOf(manifest.tablets);
  ASSIGN_OR_RETURN(BackupInfo info, Add(std::move(manifest)));
  int64_t sweep_us = 0;
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) { sweep_us = state.options.garbage_us; }));
  // If writing the backup took longer than a sweep waits between its two scans, both scans may have
  // happened after the names were read and before the manifest was written. The sweep may then have
  // removed the files.
  const int64_t took_us = (places_.clock->MonotonicNanos() - read_ns) / 1000;
  if (took_us < sweep_us) return info;
  return Unavailable(fmt::format(
      "backup {}: it took {} s to write (at most {} s), so files that it names may be gone "
      "by now; delete it and try again",
      name, took_us / 1'000'000, sweep_us / 1'000'000));
}

StatusOr<BackupInfo> ClusterBackups::Perform(const calls::CopyBackup& asked, const CallTime&) {
  engine::MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Held held, Find(asked.source));
  RETURN_IF_ERROR(CheckNew(asked.name));
  held.manifest.info.name = asked.name;
  held.manifest.info.source_backup = asked.source;
  held.manifest.info.expires_us = asked.expires_us;
  return Add(std::move(held.manifest));
}

StatusOr<BackupInfo> ClusterBackups::Perform(const calls::GetBackup& asked, const CallTime&) {
  ASSIGN_OR_RETURN(Held held, Find(asked.name));
  return std::move(held.manifest.info);
}

StatusOr<std::vector<BackupInfo>> ClusterBackups::Perform(const calls::ListBackups&,
                                                          const CallTime&) {
  ASSIGN_OR_RETURN(std::vector<Held> all, ReadAll());
  std::vector<BackupInfo> infos;
  for (Held& held : all) infos.push_back(std::move(held.manifest.info));
  return infos;
}

StatusOr<BackupInfo> ClusterBackups::Perform(const calls::SetBackupExpiry& asked, const CallTime&) {
  engine::MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Held held, Find(asked.name));
  held.manifest.info.expires_us = asked.expires_us;
  return Write(held);
}

Status ClusterBackups::Perform(const calls::DeleteBackup& asked, const CallTime&) {
  engine::MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Held held, Find(asked.name));
  return RemoveBackup(places_.fs, places_.directory, held.number);
}

StatusOr<BackupChanges> ClusterBackups::Perform(const calls::GetBackupChanges& asked,
                                                const CallTime&) {
  ASSIGN_OR_RETURN(Held held, Find(asked.name));
  BackupChanges changes;
  changes.schema = std::move(held.manifest.schema);
  for (const TabletState& tablet : held.manifest.tablets) {
    changes.table_id = tablet.table_id;
    // Readers compare started_us with the retention. The start of the part is the beginning of
    // time: a change after the redo point is wanted even if its server's clock was behind.
    auto position =
        engine::ChangePosition::From(tablet.table_id, tablet.range, held.manifest.info.started_us);
    position.parts.front().start_us = 0;
    position.parts.front().after = {tablet.redo_sequence, tablet.tablet_id};
    changes.parts.push_back({tablet.range, position.Encode()});
  }
  return changes;
}

// The creation of the table continues after its caller's deadline or cancellation. So this call
// ignores both and waits: if it returned earlier, the backup could be deleted while nothing else
// names its files.
Status ClusterBackups::Perform(const calls::RestoreTable& asked, const CallTime&) {
  // Holds the lock so that no other call deletes the backup before METADATA names its files.
  engine::MutexLock lock(&mutex_);
  ASSIGN_OR_RETURN(Held held, Find(asked.backup));
  held.manifest.schema.name = asked.table;
  held.manifest.schema.options.erase(engine::kProtectedOption);
  for (TabletState& tablet : held.manifest.tablets) {
    engine::FitToSchema(held.manifest.schema, &tablet);
  }
  const CallTime unlimited(places_.clock, {});
  return Annotate(make_(held.manifest.schema, std::move(held.manifest.tablets), unlimited),
                  fmt::format("restore backup {}", asked.backup));
}

// The time by the clock that the master believes. A time from a clock that is wrong now would end
// the keeping of a table early when the clock is put right.
int64_t ClusterBackups::BestMicros() const {
  int64_t best_us = places_.clock->NowMicros();
  static_cast<void>(driver_->Look([&](MasterState& state) {
    if (state.wall_us != 0) {
      best_us = state.clock.BestMicros(places_.clock->MonotonicNanos() / 1'000);
    }
  }));
  return best_us;
}

Status ClusterBackups::Perform(const calls::DropAndKeepTable& asked, const CallTime& time) {
  const int64_t now_us = BestMicros();
  Status dropped = driver_->Request(time, [&](uint64_t request) {
    return event::DropTable{request, asked.table, now_us + asked.keep_us, now_us};
  });
  // If the kept table cannot be recorded because the disk is full, the table is deleted at once:
  // keeping it must not prevent the drop.
  if (!HasCause(dropped, Cause::kDiskFull)) return dropped;
  return net::OfBegunCall(admin_->Do(calls::DropTable{asked.table}, time.Left()));
}

Status ClusterBackups::Perform(const calls::UndeleteTable& asked, const CallTime& time) {
  return driver_->Request(time, [&](uint64_t request) {
    return event::UndeleteTable{request, asked.table};
  });
}

}  // namespace sippar::cluster::master
