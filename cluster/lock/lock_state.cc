// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/lock_state.h"

#include <fmt/format.h>

#include <utility>

#include "engine/base/check.h"

namespace sippar::cluster {

void LockState::BeginSession(uint64_t session, const SessionOptions& options,
                             std::shared_ptr<WatchGate> gate, int64_t now_nanos) {
  Session& begun = sessions_[session];
  begun.name = options.name;
  begun.timeout_nanos = options.timeout_us * 1000;
  begun.gate = std::move(gate);
  Renew(session, now_nanos);
}

Status LockState::CheckSession(uint64_t session) const {
  if (sessions_.contains(session)) return OkStatus();
  return SessionOver(
      fmt::format("session {} has ended: it was closed, or no heartbeat came for its timeout; open "
                  "a new one",
                  session));
}

void LockState::Renew(uint64_t session, int64_t now_nanos) {
  Session& renewed = sessions_.at(session);
  // The timeout counts from the arrival of the heartbeat. The caller counts from its sending, so
  // the session does not end before the time that the caller expects.
  renewed.over_at_nanos = now_nanos + renewed.timeout_nanos;
}

void LockState::Expire(int64_t now_nanos, FiredWatches* fired) {
  // The ids are collected before EndSession is called, because it erases from sessions_.
  std::vector<uint64_t> over;
  for (const auto& [id, session] : sessions_) {
    if (session.timeout_nanos != 0 && session.over_at_nanos <= now_nanos && id != pinned_) {
      over.push_back(id);
    }
  }
  for (uint64_t id : over) EndSession(id, fired);
}

void LockState::EndSession(uint64_t session, FiredWatches* fired) {
  if (sessions_.erase(session) == 0) return;
  // The paths are collected first, because the end of an ephemeral file erases it from files_.
  std::vector<std::string> held;
  for (const auto& [path, entry] : files_) {
    if (entry.file.holder == session) held.push_back(path);
  }
  for (const std::string& path : held) {
    if (files_.at(path).file.ephemeral) {
      Erase(path, fired);
    } else {
      SetHolder(path, 0, 0, fired);
    }
  }
}

// The session itself stays until it times out: its owner may only be slow, and its locks must not
// be free while it still relies on them.
void LockState::StopWatching(uint64_t session) {
  auto found = sessions_.find(session);
  if (found != sessions_.end()) found->second.watches.clear();
}

void LockState::Watch(uint64_t session, const std::string& path, std::function<void()> callback) {
  sessions_.at(session).watches[path] = std::move(callback);
}

StatusOr<const LockFile*> LockState::Find(const std::string& path) const {
  auto found = files_.find(path);
  if (found == files_.end()) return NotFound(fmt::format("lock file '{}' not found", path));
  RETURN_IF_ERROR(found->second.damage);
  return &found->second.file;
}

void LockState::VisitDirectory(const std::string& directory, const Visit& visit) const {
  std::string prefix = directory + "/";
  for (auto file = files_.lower_bound(prefix);
       file != files_.end() && file->first.starts_with(prefix); ++file) {
    std::string name = file->first.substr(prefix.size());
    if (name.find('/') == std::string::npos) visit(std::move(name), file->second);
  }
}

std::vector<std::string> LockState::List(const std::string& directory) const {
  std::vector<std::string> names;
  VisitDirectory(directory,
                 [&](std::string name, const Entry&) { names.push_back(std::move(name)); });
  return names;
}

StatusOr<std::vector<NamedLockFile>> LockState::ReadDirectory(
    const std::string& directory, const std::set<std::string>& except) const {
  std::vector<NamedLockFile> files;
  Status damage;
  VisitDirectory(directory, [&](std::string name, const Entry& entry) {
    if (!damage.ok() || except.contains(name)) return;
    damage = entry.damage;
    if (damage.ok()) files.push_back({std::move(name), entry.file});
  });
  RETURN_IF_ERROR(damage);
  return files;
}

Status LockState::HeldBy(std::string_view what, const std::string& path,
                         const LockFile& file) const {
  auto holder = sessions_.find(file.holder);
  return AlreadyExists(holder == sessions_.end()
                           ? fmt::format("{} '{}' already exists", what, path)
                           : fmt::format("{} '{}' is held by {} (session {})", what, path,
                                         holder->second.name, file.holder));
}

Status LockState::CheckCreate(const std::string& path) const {
  auto found = Find(path);
  if (found.ok()) return HeldBy("lock file", path, **found);
  // A damaged file exists: to create it again would destroy what an operator can still restore.
  return found.status().code() == StatusCode::kNotFound ? OkStatus() : found.status();
}

StatusOr<const LockFile*> LockState::CheckVersion(const std::string& path, uint64_t version) const {
  ASSIGN_OR_RETURN(const LockFile* file, Find(path));
  if (file->version == version) return file;
  return Aborted(fmt::format("lock file '{}' has version {}, not {}; read it again", path,
                             file->version, version));
}

StatusOr<uint64_t> LockState::CheckAcquire(const std::string& path, uint64_t session) const {
  ASSIGN_OR_RETURN(const LockFile* file, Find(path));
  if (file->holder != 0 && file->holder != session) return HeldBy("lock", path, *file);
  return file->fence;
}

void LockState::Add(const std::string& path, Entry entry, FiredWatches* fired) {
  CHECK(files_.emplace(path, std::move(entry)).second);
  Fire(path, fired);
  FireDirectory(path, fired);
}

void LockState::SetContent(const std::string& path, std::string content, FiredWatches* fired) {
  LockFile& file = files_.at(path).file;
  file.content = std::move(content);
  ++file.version;
  Fire(path, fired);
}

void LockState::SetHolder(const std::string& path, uint64_t session, uint64_t fence,
                          FiredWatches* fired) {
  LockFile& file = files_.at(path).file;
  file.holder = session;
  file.fence = fence;
  Fire(path, fired);
}

void LockState::Erase(const std::string& path, FiredWatches* fired) {
  CHECK(files_.erase(path) == 1);
  Fire(path, fired);
  FireDirectory(path, fired);
}

void LockState::FireDirectory(const std::string& path, FiredWatches* fired) {
  size_t slash = path.rfind('/');
  if (slash != std::string::npos) Fire(path.substr(0, slash), fired);
}

void LockState::Fire(const std::string& path, FiredWatches* fired) {
  for (auto& [id, session] : sessions_) {
    auto watch = session.watches.find(path);
    if (watch == session.watches.end()) continue;
    // A watch fires once. The callback runs later, without the service's locks.
    fired->emplace_back(session.gate, std::move(watch->second));
    session.watches.erase(watch);
  }
}

}  // namespace sippar::cluster
