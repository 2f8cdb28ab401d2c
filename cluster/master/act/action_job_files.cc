// Actions on the lock service and the shared directory. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/action_job.h"
#include "cluster/master/act/cluster_backups.h"
#include "cluster/master/act/table_file.h"
#include "engine/base/crash_point.h"
#include "engine/base/seeded_bug.h"
#include "engine/changes/change_file.h"
#include "engine/log/log_seal.h"
#include "engine/model/change_config.h"
#include "engine/sstable/is_sstable.h"
#include "engine/tablet/file_registry.h"

namespace sippar::cluster::master {
namespace {

using event::Done;

// How long the emptied directory of a swept log is kept: its name proves that no tablet needed the
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

Done ActionJob::Do(const action::ListServers&) {
  auto names = session_->List(lock_paths::Servers());
  if (!names.ok()) return {0, names.status(), {}};
  ServerListing listing;
  for (const std::string& name : *names) {
    auto id = ServerId::Parse(name);
    if (!id.ok()) return {0, id.status(), {}};
    auto file = session_->Read(lock_paths::Server(*id));
    if (file.status().code() == StatusCode::kNotFound) continue;  // removed since the listing
    if (!file.ok()) return {0, file.status(), {}};
    // A lock held by this master means that the server is being fenced, not that it is alive.
    bool lives = file->holder != 0 && file->holder != session_->id();
    (lives ? listing.locked : listing.unlocked).push_back(*std::move(id));
  }
  return {0, OkStatus(), std::move(listing)};
}

Done ActionJob::Do(const action::ReadTables&) {
  auto names = session_->List(lock_paths::Tables());
  if (!names.ok()) return {0, names.status(), {}};
  std::vector<TableFile> all;
  for (const std::string& name : *names) {
    auto id = lock_paths::ParseTable(name);
    if (!id.ok()) return {0, id.status(), {}};
    auto file = session_->Read(lock_paths::Table(*id));
    if (!file.ok()) return {0, file.status(), {}};
    auto table = DecodeTableFile(file->content);
    if (!table.ok()) return {0, Annotate(table.status(), lock_paths::Table(*id)), {}};
    table->version = file->version;
    all.push_back(*std::move(table));
  }
  return {0, OkStatus(), std::move(all)};
}

// The directory must exist before servers get the schema: they write changes from then on.
Status ActionJob::MakeChangeDirectory(const TableRecord& table) {
  if (!engine::ChangeStreamOf(table.schema).has_value()) return OkStatus();
  const std::string all = store_paths::Changes(places_.directory);
  RETURN_IF_ERROR(places_.fs->CreateDir(all));
  RETURN_IF_ERROR(places_.fs->SyncDir(places_.directory));
  RETURN_IF_ERROR(places_.fs->CreateDir(store_paths::ChangesOf(places_.directory, table.table_id)));
  return places_.fs->SyncDir(all);
}

Done ActionJob::Do(const action::WriteTable& asked) {
  if (Status made = MakeChangeDirectory(*asked.table); !made.ok()) return {0, std::move(made), {}};
  std::string path = lock_paths::Table(asked.table->table_id);
  std::string content = EncodeTableFile({*asked.table, asked.life, 0, asked.kept_until_us});
  auto write = [&] {
    return asked.version == 0 ? session_->Create(path, content, LockFileKind::kLasting).status()
                              : session_->Write(path, content, asked.version).status();
  };
  Status status = write();
  // Removing a table makes room, so when the disk is full the reserve is given up for it
  // (tests/FAULTS.md D6).
  bool is_full = status.code() == StatusCode::kResourceExhausted;
  if (is_full && asked.life != TableLife::kLive && asked.life != TableLife::kCreating &&
      places_.fs->Remove(store_paths::Reserve(places_.directory)).ok()) {
    status = write();
  }
  // If an earlier try succeeded and its answer was lost, the file already has the new version and
  // content.
  if (status.code() == StatusCode::kAlreadyExists || status.code() == StatusCode::kAborted) {
    auto file = session_->Read(path);
    if (file.ok() && file->content == content && file->version == asked.version + 1) return {};
  }
  return {0, std::move(status), {}};
}

Done ActionJob::Do(const action::RemoveTable& asked) {
  Status status = session_->Remove(lock_paths::Table(asked.table_id), asked.version);
  return {0, status.code() == StatusCode::kNotFound ? OkStatus() : status, {}};
}

Done ActionJob::Do(const action::FenceServer& asked) {
  std::string path = lock_paths::Server(asked.server);
  auto fence = [&]() -> Status {
    // A server that holds its lock is alive, and the acquisition fails. Once this session holds the
    // lock, the server can never get it back.
    if (!asked.by_force) RETURN_IF_ERROR(session_->Acquire(path).status());
    CRASH_POINT("fence.after_lock");
    ASSIGN_OR_RETURN(LockFile file, session_->Read(path));
    return session_->Remove(path, file.version);
  };
  Status status = fence();
  if (status.code() == StatusCode::kNotFound) status = OkStatus();
  if (status.ok()) {
    // emplace keeps the time of the first fence: the lease has been running out since then.
    engine::MutexLock lock(&mutex_);
    fenced_ns_.emplace(asked.server, places_.clock->MonotonicNanos());
  }
  return {0, std::move(status), {}};
}

StatusOr<bool> ActionJob::WriterIsGone(const std::string& log_directory) {
  auto found = places_.fs->Exists(log_directory);
  if (!found.ok() || !*found) return found;
  auto owner = places_.fs->Lock(store_paths::LogOwner(log_directory), "recovery");
  if (owner.ok()) return true;  // the kernel freed it, so its last holder is gone
  if (owner.status().code() == StatusCode::kUnavailable) return false;
  return owner.status();
}

Done ActionJob::Do(const action::StopWriter& asked) {
  for (const std::string& path : {store_paths::Log(places_.directory, asked.server),
                                  store_paths::SealedLog(places_.directory, asked.server)}) {
    auto gone = WriterIsGone(path);
    if (!gone.ok()) return {0, gone.status(), {}};
    if (*gone) return {};
  }
  // A process that may only hang still has the flock, or there is no log to ask: then the writer
  // counts as stopped when its lease has ended.
  engine::MutexLock lock(&mutex_);
  auto fenced = fenced_ns_.find(asked.server);
  int64_t now_ns = places_.clock->MonotonicNanos();
  if (fenced != fenced_ns_.end() && now_ns - fenced->second >= places_.lease_us * 1000) return {};
  return {0, Unavailable(asked.server.ToString() + " may live until its lease ends"), {}};
}

Done ActionJob::Do(const action::RenameLog& asked) {
  std::string source = store_paths::Log(places_.directory, asked.server);
  std::string target = store_paths::SealedLog(places_.directory, asked.server);
  Status status = places_.fs->Rename(source, target);
  CRASH_POINT("recover.after_rename");
  if (status.code() == StatusCode::kNotFound) {
    auto renamed = places_.fs->Exists(target);
    if (!renamed.ok()) return {0, renamed.status(), {}};
    // Neither name exists. A life makes its log before any other process knows of it, so the log is
    // lost; SealLog, the next stage, reports that.
    status = OkStatus();
  }
  if (status.ok()) status = places_.fs->SyncDir(store_paths::Logs(places_.directory));
  return {0, std::move(status), {}};
}

StatusOr<bool> ActionJob::WasSwept(const ServerId& server) {
  const std::string logs = store_paths::Logs(places_.directory);
  ASSIGN_OR_RETURN(std::vector<std::string> names, places_.fs->List(logs));
  const std::string begin = fmt::format("{}{}", store_paths::SealedLog(places_.directory, server),
                                        store_paths::kTrashMark);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return fmt::format("{}/{}", logs, name).starts_with(begin);
  });
}

Done ActionJob::Do(const action::SealLog& asked) {
  std::string path = store_paths::SealedLog(places_.directory, asked.server);
  auto there = places_.fs->Exists(path);
  if (!there.ok()) return {0, there.status(), {}};
  if (!*there) {
    auto swept = WasSwept(asked.server);
    if (!swept.ok()) return {0, swept.status(), {}};
    // The log was swept because no tablet needed it. So a record that names this life was assigned
    // late by an older master, to a server that was dead and recovered by then and never loaded the
    // tablet.
    if (*swept) return {0, OkStatus(), SealedLog()};
    return {0,
            DataLoss(fmt::format("the log of {} is gone, and with it what its tablets had not "
                                 "flushed; restore {}, or make it, empty, to give that up",
                                 asked.server.ToString(), path)),
            {}};
  }
  SealedLog sealed;
  auto seal = engine::SealLog(places_.fs, path, epoch_);
  if (!seal.ok()) return {0, Annotate(seal.status(), "seal " + path), {}};
  CRASH_POINT("recover.after_seal");
  for (const engine::SealedSegment& segment : seal->segments) {
    if (!segment.last_sequences.empty()) sealed.segments.push_back(segment.id.number);
  }
  sealed.last_sequences = seal->LastSequences();
  return {0, OkStatus(), std::move(sealed)};
}

Done ActionJob::Do(const action::ListFiles&) {
  FileListing listing;
  auto files = places_.fs->List(store_paths::Sstables(places_.directory));
  if (!files.ok()) return {0, files.status(), {}};
  for (std::string_view name : *files) {
    if (name.ends_with(kUnfinished)) name.remove_suffix(kUnfinished.size());
    if (auto id = engine::ParseSstableName(name)) listing.files.push_back(*id);
  }
  auto logs = places_.fs->List(store_paths::Logs(places_.directory));
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

Done ActionJob::Do(const action::TrashFiles& asked) {
  int64_t now_us = places_.clock->NowMicros();
  auto trash = [&](const std::string& path) {
    Status status =
        places_.fs->Rename(path, fmt::format("{}{}{}", path, store_paths::kTrashMark, now_us));
    return status.code() == StatusCode::kNotFound ? OkStatus() : status;
  };
  std::set<uint64_t> held;  // files that readers still use after a compaction replaced them
  for (const ServerId& server : asked.servers) {
    if (SEEDED_BUG("gc-without-second-scan")) break;
    auto found = places_.transport->Control(server)->HeldFiles(asked.files);
    if (!found.ok()) return {0, found.status(), {}};
    held.insert(found->begin(), found->end());
  }
  // A file that cannot be read or renamed stays, and stops no other.
  Status first_failure;
  for (uint64_t id : asked.files) {
    if (held.contains(id)) continue;
    const std::string path =
        store_paths::Sstables(places_.directory) + "/" + engine::SstableName(id);
    auto ours = engine::IsSstable(places_.fs, path, id);
    if (!ours.ok() && ours.status().code() != StatusCode::kNotFound) {
      first_failure.Update(ours.status());
      continue;
    }
    // A file that is no SSTable was not written by a server and is left alone. An unfinished
    // SSTable of a dead life is swept.
    if (!ours.ok() || *ours) first_failure.Update(trash(path));
    first_failure.Update(trash(fmt::format("{}{}", path, kUnfinished)));
  }
  for (const ServerId& server : asked.logs) {
    // If the life's file exists, the life became known only after the listing. It will be
    // recovered, and that needs the log.
    Status known = session_->Read(lock_paths::Server(server)).status();
    if (known.ok()) continue;
    if (known.code() != StatusCode::kNotFound) return {0, std::move(known), {}};
    first_failure.Update(trash(store_paths::SealedLog(places_.directory, server)));
  }
  return {0, std::move(first_failure), {}};
}

Status ActionJob::ExpireChanges(const action::PurgeTrash& asked) {
  const int64_t now_us = places_.clock->NowMicros();
  const std::string directory = store_paths::Changes(places_.directory);
  auto names = places_.fs->List(directory);
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
      RETURN_IF_ERROR(RemoveTree(places_.fs, path));
    } else {
      int64_t before_us = now_us - kept->second - engine::kChangesGraceUs;
      RETURN_IF_ERROR(engine::ExpireChangeFiles(places_.fs, path, before_us).status());
    }
  }
  return OkStatus();
}

Status ActionJob::ExpireBackups() {
  const int64_t now_us = places_.clock->NowMicros();
  auto expire = [&](uint64_t number, const engine::BackupManifest& manifest) {
    if (manifest.info.expires_us > now_us) return OkStatus();
    return RemoveBackup(places_.fs, places_.directory, number);
  };
  return ScanBackups(places_.fs, places_.directory, expire);
}

Done ActionJob::Do(const action::PurgeTrash& asked) {
  if (Status expired = ExpireChanges(asked); !expired.ok()) return {0, std::move(expired), {}};
  if (Status expired = ExpireBackups(); !expired.ok()) return {0, std::move(expired), {}};
  const int64_t before_us = places_.clock->NowMicros() - asked.age_us;
  for (const std::string& directory :
       {store_paths::Sstables(places_.directory), store_paths::Logs(places_.directory)}) {
    auto names = places_.fs->List(directory);
    if (!names.ok()) return {0, names.status(), {}};
    for (const std::string& name : *names) {
      size_t mark = name.find(store_paths::kTrashMark);
      if (mark == std::string::npos) continue;
      int64_t since_us = 0;
      const char* end = name.data() + name.size();
      auto parsed =
          std::from_chars(name.data() + mark + store_paths::kTrashMark.size(), end, since_us);
      if (parsed.ec != std::errc() || since_us > before_us) continue;
      bool known = directory == store_paths::Logs(places_.directory) &&
                   since_us > places_.clock->NowMicros() - kSweptLogsKnownUs;
      const std::string path = directory + "/" + name;
      Status status = known ? Empty(places_.fs, path) : RemoveTree(places_.fs, path);
      if (!status.ok()) return {0, std::move(status), {}};
    }
  }
  return {};
}

}  // namespace sippar::cluster::master
