// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/sweep_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/cluster_backups.h"
#include "cluster/master/decide/wall_clock.h"
#include "engine/base/crash_point.h"
#include "engine/base/seeded_bug.h"
#include "engine/changes/change_file.h"
#include "engine/model/change_config.h"
#include "engine/sstable/is_sstable.h"
#include "engine/tablet/file_registry.h"

namespace sippar::cluster::master {

using event::Done;

namespace {

// How long the emptied directory of a swept log is kept. Its name proves that no tablet needed the
// log.
constexpr int64_t kSweptLogsKnownUs = int64_t{30} * 24 * 3600 * 1'000'000;

// Suffix of an SSTable that SstableWriter has not finished.
constexpr std::string_view kUnfinished = ".tmp";

// Deletes a file or a whole directory.
Status RemoveTree(engine::FileSystem* fs, const std::string& path);

Status Empty(engine::FileSystem* fs, const std::string& path) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(path));
  for (const std::string& name : names) RETURN_IF_ERROR(RemoveTree(fs, path + "/" + name));
  return OkStatus();
}

Status RemoveTree(engine::FileSystem* fs, const std::string& path) {
  if (!fs->List(path).ok()) return fs->Remove(path);  // a file
  RETURN_IF_ERROR(Empty(fs, path));
  return fs->RemoveDir(path);
}

}  // namespace

Done SweepActions::Do(const action::ListFiles&) {
  FileListing listing;
  auto files = places_->fs->List(store_paths::Sstables(places_->directory));
  if (!files.ok()) return {0, files.status(), {}};
  for (std::string_view name : *files) {
    if (name.ends_with(kUnfinished)) name.remove_suffix(kUnfinished.size());
    if (auto id = engine::ParseSstableName(name)) listing.files.push_back(*id);
  }
  auto logs = places_->fs->List(store_paths::Logs(places_->directory));
  if (!logs.ok()) return {0, logs.status(), {}};
  for (const std::string& name : *logs) {
    auto log = store_paths::ParseLog(name);
    if (log) (log->sealed ? listing.logs : listing.open_logs).push_back(std::move(log->server));
  }
  std::sort(listing.files.begin(), listing.files.end());
  listing.files.erase(std::unique(listing.files.begin(), listing.files.end()), listing.files.end());
  std::sort(listing.logs.begin(), listing.logs.end());
  return {0, OkStatus(), std::move(listing)};
}

Done SweepActions::Do(const action::FindReferences&) {
  References found;
  // Scans backups before METADATA: a restore copies names from a backup to METADATA, so names that
  // are copied during the scan are found in at least one of the two.
  Status status = ScanBackups(
      places_->fs, places_->directory, [&](uint64_t, const engine::BackupManifest& manifest) {
        for (const engine::TabletState& tablet : manifest.tablets) {
          std::vector<uint64_t> files = tablet.FileIds();
          found.named.files.insert(found.named.files.end(), files.begin(), files.end());
        }
        return OkStatus();
      });
  if (!status.ok()) return {0, std::move(status), {}};
  status =
      places_->metadata->Scan(kMetadataTableId, UINT64_MAX - 1, [&](const TabletRecord& record) {
        if (record.table_id != kMetadataTableId) CRASH_POINT("sweep.scanning");
        std::vector<uint64_t> files = record.state.FileIds();
        found.named.files.insert(found.named.files.end(), files.begin(), files.end());
        found.named.logs.insert(found.named.logs.end(), record.logs.begin(), record.logs.end());
        // A tablet's server may end at any moment, and then its log is needed.
        if (!record.server.IsNone()) found.named.logs.push_back(record.server);
        if (found.tables.empty() || found.tables.back() != record.table_id) {
          found.tables.push_back(record.table_id);
        }
        return true;
      });
  auto sort_unique = [](auto* all) {
    std::sort(all->begin(), all->end());
    all->erase(std::unique(all->begin(), all->end()), all->end());
  };
  sort_unique(&found.named.files);
  sort_unique(&found.named.logs);
  return {0, std::move(status), std::move(found)};
}

Done SweepActions::Do(const action::TrashFiles& asked) {
  auto trash = [&](const std::string& path) {
    Status status = places_->fs->Rename(
        path, fmt::format("{}{}{}", path, store_paths::kTrashMark, asked.wall_us));
    return status.code() == StatusCode::kNotFound ? OkStatus() : status;
  };
  std::set<uint64_t> held;  // files that readers still use after a compaction replaced them
  for (const ServerId& server : asked.servers) {
    if (SEEDED_BUG("gc-without-second-scan")) break;
    auto found = CallServer(*places_, server, calls::HeldFiles{asked.files});
    if (!found.ok()) return {0, found.status(), {}};
    held.insert(found->begin(), found->end());
  }
  // A file that cannot be read or renamed remains, and does not stop the work on the others.
  Status first_failure;
  for (uint64_t id : asked.files) {
    if (held.contains(id)) continue;
    const std::string path =
        store_paths::Sstables(places_->directory) + "/" + engine::SstableName(id);
    auto ours = engine::IsSstable(places_->fs, path, id);
    if (!ours.ok() && ours.status().code() != StatusCode::kNotFound) {
      first_failure.Update(ours.status());
      continue;
    }
    // A file that is not an SSTable was not written by a server and is left alone. An unfinished
    // SSTable of a dead server is moved to the trash.
    if (!ours.ok() || *ours) first_failure.Update(trash(path));
    first_failure.Update(trash(fmt::format("{}{}", path, kUnfinished)));
  }
  if (asked.logs.empty()) return {0, std::move(first_failure), {}};
  auto known = session_->List(lock_paths::Servers());
  if (!known.ok()) return {0, known.status(), {}};
  for (const ServerId& server : asked.logs) {
    // If the server's file exists, the master learned of the server only after it listed the logs.
    // The server will be recovered, and its recovery needs the log.
    if (std::binary_search(known->begin(), known->end(), server.ToString())) continue;
    first_failure.Update(trash(store_paths::SealedLog(places_->directory, server)));
  }
  return {0, std::move(first_failure), {}};
}

Status SweepActions::ExpireChanges(const action::PurgeTrash& asked) {
  const std::string directory = store_paths::Changes(places_->directory);
  auto names = places_->fs->List(directory);
  if (names.status().code() == StatusCode::kNotFound) return OkStatus();
  RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    uint64_t table_id = 0;
    const char* end = name.data() + name.size();
    auto parsed = std::from_chars(name.data(), end, table_id);
    if (parsed.ec != std::errc() || parsed.ptr != end || table_id >= asked.tables_end) continue;
    auto kept = asked.changes_us.find(table_id);
    const std::string path = directory + "/" + name;
    if (kept == asked.changes_us.end()) {
      RETURN_IF_ERROR(RemoveTree(places_->fs, path));
    } else {
      int64_t before_us = asked.wall_us - kept->second - engine::kChangesGraceUs;
      RETURN_IF_ERROR(engine::ExpireChangeFiles(places_->fs, path, before_us).status());
    }
  }
  return OkStatus();
}

Status SweepActions::ExpireBackups(int64_t wall_us) {
  auto expire = [&](uint64_t number, const engine::BackupManifest& manifest) {
    if (manifest.info.expires_us > wall_us) return OkStatus();
    return RemoveBackup(places_->fs, places_->directory, number);
  };
  return ScanBackups(places_->fs, places_->directory, expire);
}

Status SweepActions::PurgeFrom(const std::string& directory, const action::PurgeTrash& asked) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, places_->fs->List(directory));
  for (const std::string& name : names) {
    const size_t mark = name.find(store_paths::kTrashMark);
    if (mark == std::string::npos) continue;
    const std::string path = directory + "/" + name;
    int64_t since_us = 0;
    const char* end = name.data() + name.size();
    auto parsed =
        std::from_chars(name.data() + mark + store_paths::kTrashMark.size(), end, since_us);
    if (parsed.ec != std::errc()) continue;
    if (since_us > asked.wall_us + kClockSlackUs) {
      // A master whose clock was wrong has put it here. Its time in the trash begins again, because
      // it would not end before that date.
      RETURN_IF_ERROR(
          places_->fs->Rename(path, fmt::format("{}/{}{}{}", directory, name.substr(0, mark),
                                                store_paths::kTrashMark, asked.wall_us)));
      continue;
    }
    if (since_us > asked.wall_us - asked.age_us) continue;
    const bool known = directory == store_paths::Logs(places_->directory) &&
                       since_us > asked.wall_us - kSweptLogsKnownUs;
    RETURN_IF_ERROR(known ? Empty(places_->fs, path) : RemoveTree(places_->fs, path));
  }
  return OkStatus();
}

Done SweepActions::Do(const action::PurgeTrash& asked) {
  auto purge = [&]() -> Status {
    RETURN_IF_ERROR(ExpireChanges(asked));
    RETURN_IF_ERROR(ExpireBackups(asked.wall_us));
    RETURN_IF_ERROR(PurgeFrom(store_paths::Sstables(places_->directory), asked));
    return PurgeFrom(store_paths::Logs(places_->directory), asked);
  };
  return {0, purge(), {}};
}

}  // namespace sippar::cluster::master
