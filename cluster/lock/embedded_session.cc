// Sessions of the embedded lock service. Every change is checked under mutex_, made durable without
// it (locks and ephemeral files are in memory only), and then applied to the state under it again;
// so reads and heartbeats never wait for the disk, and no session sees a change of a file on disk
// that a crash could undo. The callbacks of the watches that a change fires run without the locks
// of the service.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/embedded_session.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/lock/lock_paths.h"

namespace sippar::cluster {
namespace {

using engine::MutexLock;

// The epoch counter is written by the service alone: a session that lowered it would make epochs
// repeat.
Status CheckChangeable(const std::string& path) {
  if (path == lock_paths::EpochCounter()) {
    return InvalidArgument(
        fmt::format("lock file '{}' belongs to the lock service; use NextEpoch", path));
  }
  return lock_paths::CheckPath(path);
}

Status CheckContent(const std::string& path, const std::string& content) {
  if (content.size() <= kLockFileSizeMax) return OkStatus();
  return InvalidArgument(fmt::format("lock file '{}' would have {} bytes; the limit is {}", path,
                                     content.size(), kLockFileSizeMax));
}

}  // namespace

template <typename Body>
auto EmbeddedLockService::Ask(uint64_t session, const Body& body) -> decltype(body(int64_t{})) {
  FiredWatches fired;
  auto answer = [&]() -> decltype(body(int64_t{})) {
    MutexLock lock(&mutex_);
    int64_t now_nanos = clock_->MonotonicNanos();
    // Timed-out sessions are ended first, so that a session that is over gets no answer.
    state_.Expire(now_nanos, &fired);
    RETURN_IF_ERROR(state_.CheckSession(session));
    return body(now_nanos);
  }();
  CallBack(&fired);
  return answer;
}

EmbeddedLockService::Session::~Session() {
  // A session without a timeout would otherwise never end. A session with a timeout is left to time
  // out, as after a crash of its process.
  if (options_.timeout_us == 0) {
    service_->End(id_);
  } else {
    service_->Abandon(id_);
  }
  CloseGate();
}

void EmbeddedLockService::Session::CloseGate() {
  MutexLock lock(&gate_->mutex);
  gate_->open = false;
}

StatusOr<int64_t> EmbeddedLockService::Session::Heartbeat() {
  // The time is taken before the call: the lease must not seem longer to the caller than to the
  // service.
  int64_t sent_nanos = options_.clock->MonotonicNanos();
  RETURN_IF_ERROR(service_->Ask(id_, [&](int64_t now_nanos) {
    state().Renew(id_, now_nanos);
    return OkStatus();
  }));
  return options_.timeout_us == 0 ? INT64_MAX : sent_nanos + options_.timeout_us * 1000;
}

StatusOr<uint64_t> EmbeddedLockService::Session::Create(const std::string& path,
                                                        const std::string& content,
                                                        LockFileKind kind) {
  RETURN_IF_ERROR(CheckChangeable(path));
  RETURN_IF_ERROR(CheckContent(path, content));
  Change change(service_, id_);
  RETURN_IF_ERROR(change.alive());
  {
    MutexLock lock(&service_->mutex_);
    RETURN_IF_ERROR(state().CheckCreate(path));
  }
  LockState::Entry entry;
  entry.file.content = content;
  entry.file.version = 1;
  entry.file.ephemeral = kind == LockFileKind::kEphemeral;
  uint64_t fence = 0;
  if (kind != LockFileKind::kLasting) {
    ASSIGN_OR_RETURN(fence, service_->NextNumber());
    entry.file.holder = id_;
    entry.file.fence = fence;
  }
  // An ephemeral file ends with this process at the latest, so it is never on disk.
  if (!entry.file.ephemeral) RETURN_IF_ERROR(service_->directory_->Put(path, content, 1));
  MutexLock lock(&service_->mutex_);
  state().Add(path, std::move(entry), &change.fired);
  return fence;
}

StatusOr<LockFile> EmbeddedLockService::Session::Read(const std::string& path, Freshness) {
  return service_->Ask(id_, [&](int64_t) -> StatusOr<LockFile> {
    ASSIGN_OR_RETURN(const LockFile* file, state().Find(path));
    return *file;
  });
}

StatusOr<uint64_t> EmbeddedLockService::Session::Write(const std::string& path,
                                                       const std::string& content,
                                                       uint64_t version) {
  RETURN_IF_ERROR(CheckChangeable(path));
  RETURN_IF_ERROR(CheckContent(path, content));
  Change change(service_, id_);
  RETURN_IF_ERROR(change.alive());
  {
    MutexLock lock(&service_->mutex_);
    ASSIGN_OR_RETURN(const LockFile* file, state().CheckVersion(path, version));
    if (file->ephemeral) {
      state().SetContent(path, content, &change.fired);
      return version + 1;
    }
  }
  RETURN_IF_ERROR(service_->directory_->Put(path, content, version + 1));
  MutexLock lock(&service_->mutex_);
  state().SetContent(path, content, &change.fired);
  return version + 1;
}

Status EmbeddedLockService::Session::Remove(const std::string& path, uint64_t version) {
  RETURN_IF_ERROR(CheckChangeable(path));
  Change change(service_, id_);
  RETURN_IF_ERROR(change.alive());
  {
    MutexLock lock(&service_->mutex_);
    ASSIGN_OR_RETURN(const LockFile* file, state().CheckVersion(path, version));
    if (file->ephemeral) {
      state().Erase(path, &change.fired);
      return OkStatus();
    }
  }
  RETURN_IF_ERROR(service_->directory_->Remove(path));
  MutexLock lock(&service_->mutex_);
  state().Erase(path, &change.fired);
  return OkStatus();
}

StatusOr<std::vector<std::string>> EmbeddedLockService::Session::List(
    const std::string& directory) {
  return service_->Ask(
      id_, [&](int64_t) -> StatusOr<std::vector<std::string>> { return state().List(directory); });
}

StatusOr<std::vector<NamedLockFile>> EmbeddedLockService::Session::ReadDirectory(
    const std::string& directory, const std::set<std::string>& except) {
  return service_->Ask(id_, [&](int64_t) { return state().ReadDirectory(directory, except); });
}

StatusOr<uint64_t> EmbeddedLockService::Session::Acquire(const std::string& path) {
  RETURN_IF_ERROR(CheckChangeable(path));
  Change change(service_, id_);
  RETURN_IF_ERROR(change.alive());
  uint64_t fence = 0;
  {
    MutexLock lock(&service_->mutex_);
    ASSIGN_OR_RETURN(fence, state().CheckAcquire(path, id_));
  }
  // This session already holds the lock: a repeated call returns the same number.
  if (fence != 0) return fence;
  ASSIGN_OR_RETURN(fence, service_->NextNumber());
  MutexLock lock(&service_->mutex_);
  state().SetHolder(path, id_, fence, &change.fired);
  return fence;
}

Status EmbeddedLockService::Session::Release(const std::string& path) {
  Change change(service_, id_);
  RETURN_IF_ERROR(change.alive());
  MutexLock lock(&service_->mutex_);
  ASSIGN_OR_RETURN(const LockFile* file, state().Find(path));
  if (file->ephemeral) {
    return InvalidArgument(
        fmt::format("lock file '{}' is ephemeral and cannot be released; remove it instead", path));
  }
  if (file->holder != id_) {
    return Aborted(fmt::format("lock '{}' is not held by session {}", path, id_));
  }
  state().SetHolder(path, 0, 0, &change.fired);
  return OkStatus();
}

Status EmbeddedLockService::Session::Watch(const std::string& path,
                                           std::function<void()> callback) {
  return service_->Ask(id_, [&](int64_t) {
    state().Watch(id_, path, std::move(callback));
    return OkStatus();
  });
}

StatusOr<uint64_t> EmbeddedLockService::Session::NextEpoch() {
  Change change(service_, id_);
  RETURN_IF_ERROR(change.alive());
  return service_->NextNumber();
}

Status EmbeddedLockService::Session::RaiseEpoch(uint64_t seen) {
  Change change(service_, id_);
  RETURN_IF_ERROR(change.alive());
  return service_->RaiseAbove(seen);
}

Status EmbeddedLockService::Session::Close() {
  service_->End(id_);
  CloseGate();
  return OkStatus();
}

}  // namespace sippar::cluster
