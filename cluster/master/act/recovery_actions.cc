// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/recovery_actions.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/lock/member_record.h"
#include "cluster/master/act/clock_note.h"
#include "cluster/master/act/standing_orders.h"
#include "engine/base/crash_point.h"
#include "engine/log/log_seal.h"

namespace sippar::cluster::master {

using event::Done;

Done RecoveryActions::Do(const action::ListServers& asked) {
  if (asked.note_us != 0) WriteClockNote(session_, asked.note_us);
  auto files = session_->ReadDirectory(lock_paths::Servers());
  if (!files.ok()) return {0, files.status(), {}};
  ServerListing listing;
  for (const auto& [name, file] : *files) {
    auto id = ServerId::Parse(name);
    if (!id.ok()) return {0, id.status(), {}};
    NoteRecord(*id, file.content);
    // If this master's own session holds the lock, the master is fencing the server. So the held
    // lock does not show that the server is alive.
    bool lives = file.holder != 0 && file.holder != session_->id();
    if (lives && HasDied(*id)) listing.dead.push_back(*id);
    (lives ? listing.locked : listing.unlocked).push_back(*std::move(id));
  }
  listing.orders = ReadOrders(session_);
  listing.noted_us = ReadClockNote(session_);
  return {0, OkStatus(), std::move(listing)};
}

void RecoveryActions::NoteRecord(const ServerId& server, const std::string& content) {
  constexpr int64_t kLeaseMaxUs = 3'600'000'000;  // bound, in case the record has a wrong lease
  auto record = MemberRecord::Decode(content);
  if (!record.ok()) return;
  // A process of another cluster, and one that is alone in its cluster, is never ended.
  const bool is_ours = !places_->cluster.empty() && record->cluster == places_->cluster;
  engine::MutexLock lock(&mutex_);
  Life& life = lives_[server];
  life.lease_us = std::min(record->lease_us, kLeaseMaxUs);
  life.identity = is_ours ? record->identity : "";
}

Done RecoveryActions::Do(const action::FenceServer& asked) {
  std::string path = lock_paths::Server(asked.server);
  bool lease_is_over = false;
  auto fence = [&]() -> Status {
    // A server that holds its lock is alive, and the acquisition fails. Once this session holds the
    // lock, the server can never get it back. If the lock was free, the server's session has ended,
    // and the server's lease had ended even before the session.
    if (!asked.by_force) {
      RETURN_IF_ERROR(session_->Acquire(path).status());
      lease_is_over = true;
    }
    CRASH_POINT("fence.after_lock");
    ASSIGN_OR_RETURN(LockFile file, session_->Read(path));
    NoteRecord(asked.server, file.content);
    return session_->Remove(path, file.version);
  };
  Status status = fence();
  // If the file was missing, the server may have left cleanly, and its process still ends calls.
  const bool is_removed = asked.by_force && status.ok();
  if (status.code() == StatusCode::kNotFound) status = OkStatus();
  if (status.ok()) {
    // The time of the first fence stays, because the lease has been running out since then. The
    // server's lease may be longer than this master's, so the longer of the two counts.
    engine::MutexLock lock(&mutex_);
    Life& life = lives_[asked.server];
    life.is_removed = life.is_removed || is_removed;
    const int64_t lease_us = std::max(places_->lease_us, life.lease_us);
    const int64_t over_ns =
        places_->clock->MonotonicNanos() + (lease_is_over ? 0 : lease_us * 1000);
    if (!life.lease_over_ns) life.lease_over_ns = over_ns;
  }
  return {0, std::move(status), {}};
}

StatusOr<bool> RecoveryActions::WriterIsGone(const std::string& log_directory) {
  auto found = places_->fs->Exists(log_directory);
  if (!found.ok() || !*found) return found;
  auto owner = places_->fs->Lock(store_paths::LogOwner(log_directory), "recovery");
  if (owner.ok()) return true;  // the lock was free, so its last holder has ended
  // kInternal: the file system cannot say, so that the lease decides.
  if (owner.status().code() == StatusCode::kUnavailable ||
      owner.status().code() == StatusCode::kInternal) {
    return false;
  }
  return owner.status();
}

// A server makes its log before its file in servers/, and holds the log's flock until it ends.
bool RecoveryActions::HasDied(const ServerId& server) {
  if (!places_->transport->IsCut(server)) return false;
  auto gone = WriterIsGone(store_paths::Log(places_->directory, server));
  return gone.ok() && *gone;
}

Done RecoveryActions::Do(const action::StopWriter& asked) {
  for (const std::string& path : {store_paths::Log(places_->directory, asked.server),
                                  store_paths::SealedLog(places_->directory, asked.server)}) {
    auto gone = WriterIsGone(path);
    if (!gone.ok()) return {0, gone.status(), {}};
    if (*gone) return {};
  }
  // Either a process still has the flock (perhaps the process only hangs), or there is no log to
  // check. In both cases the writer counts as stopped when its lease has ended.
  Life life;
  {
    engine::MutexLock lock(&mutex_);
    if (auto known = lives_.find(asked.server); known != lives_.end()) life = known->second;
  }
  if (life.lease_over_ns && places_->clock->MonotonicNanos() >= *life.lease_over_ns) return {};
  // Nothing has to wait for the lease of a server that can be ended.
  const Status ended = EndWriter(asked.server, life);
  if (ended.ok()) return {};
  return {0,
          Unavailable(fmt::format("server {} may still serve until its lease ends ({})",
                                  asked.server.ToString(), MessageOf(ended))),
          {}};
}

// Without its file in the lock service this life is over by the protocol, whatever its process
// still does. So the end of the process costs no client anything.
Status RecoveryActions::EndWriter(const ServerId& server, const Life& life) {
  if (!life.is_removed) return Unavailable("this master has not removed it by force");
  if (life.identity.empty()) return Unavailable("its record names no process of this cluster");
  return places_->fs->Fence(life.identity,
                            store_paths::LogOwner(store_paths::Log(places_->directory, server)));
}

Done RecoveryActions::Do(const action::RenameLog& asked) {
  std::string source = store_paths::Log(places_->directory, asked.server);
  std::string target = store_paths::SealedLog(places_->directory, asked.server);
  Status status = places_->fs->Rename(source, target);
  CRASH_POINT("recover.after_rename");
  if (status.code() == StatusCode::kNotFound) {
    auto renamed = places_->fs->Exists(target);
    if (!renamed.ok()) return {0, renamed.status(), {}};
    // Neither name exists. A server makes its log before any other process knows of the server, so
    // the log is lost. SealLog, the next stage, reports that.
    status = OkStatus();
  }
  if (status.ok()) status = places_->fs->SyncDir(store_paths::Logs(places_->directory));
  Done done{0, std::move(status), {}};
  if (!done.status.ok()) return done;
  {
    // StopWriter, an earlier stage, was the last to need the entry. Without one it only waits
    // longer.
    engine::MutexLock lock(&mutex_);
    lives_.erase(asked.server);
  }
  if (auto note = ReadCrashNote(asked.server)) done.answer = *note;
  return done;
}

std::optional<CrashNote> RecoveryActions::ReadCrashNote(const ServerId& server) {
  const std::string log = store_paths::SealedLog(places_->directory, server);
  auto text = engine::ReadFile(places_->fs, store_paths::CrashNote(log));
  return text.ok() ? DecodeCrashNote(*text) : std::nullopt;
}

StatusOr<bool> RecoveryActions::WasSwept(const ServerId& server) {
  const std::string logs = store_paths::Logs(places_->directory);
  ASSIGN_OR_RETURN(std::vector<std::string> names, places_->fs->List(logs));
  const std::string begin = fmt::format("{}{}", store_paths::SealedLog(places_->directory, server),
                                        store_paths::kTrashMark);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return fmt::format("{}/{}", logs, name).starts_with(begin);
  });
}

Done RecoveryActions::Do(const action::SealLog& asked) {
  std::string path = store_paths::SealedLog(places_->directory, asked.server);
  auto there = places_->fs->Exists(path);
  if (!there.ok()) return {0, there.status(), {}};
  if (!*there) {
    auto swept = WasSwept(asked.server);
    if (!swept.ok()) return {0, swept.status(), {}};
    // The log was swept because no tablet needed it. A record that still names this server was
    // written late by an older master: by then the server was dead and recovered, so it never
    // loaded the tablet.
    if (*swept) return {0, OkStatus(), SealedLog()};
    return {0,
            DataLoss(fmt::format("the log of server {} is missing, and with it the writes that its "
                                 "tablets had not flushed; put {} back from a copy, or create it "
                                 "as an empty directory to give these writes up",
                                 asked.server.ToString(), path)),
            {}};
  }
  SealedLog sealed;
  auto seal = engine::SealLog(places_->fs, path, epoch_);
  if (!seal.ok()) return {0, Annotate(seal.status(), "seal " + path), {}};
  CRASH_POINT("recover.after_seal");
  for (const engine::SealedSegment& segment : seal->segments) {
    if (!segment.last_sequences.empty()) sealed.segments.push_back(segment.id.number);
  }
  sealed.last_sequences = seal->LastSequences();
  return {0, OkStatus(), std::move(sealed)};
}

}  // namespace sippar::cluster::master
