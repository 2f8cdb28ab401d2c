// Changes and reads of files. Write, Remove and Acquire decide on a consistent view of the file and
// change it on the condition that the view still holds; if it does not, they look again. Create
// looks only after it was refused, and Release looks once.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/zookeeper_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/zookeeper/read_again.h"
#include "cluster/lock/zookeeper/view_files.h"

namespace sippar::cluster::zookeeper {
namespace {

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

int64_t ZooKeeperSession::Deadline() {
  return engine::Clock::System()->MonotonicNanos() + CallNanos(handle_->timeout_us());
}

StatusOr<int64_t> ZooKeeperSession::Heartbeat() {
  const int64_t deadline_nanos = Deadline();
  for (;;) {
    RETURN_IF_ERROR(handle_->WaitConnected(deadline_nanos));
    // The time is taken before the request, so the lease that the caller counts on is no longer
    // than the service's.
    const int64_t sent_nanos = clock_->MonotonicNanos();
    int64_t timeout_us = handle_->timeout_us();
    Answer answer =
        handle_->Make({{Change::Kind::kSet, paths_.Session(id_), name_, -1}})->Wait(deadline_nanos);
    if (answer.code == kOk) {
      // The client may have connected to another member meanwhile, which granted another timeout:
      // the shorter one counts.
      timeout_us = std::min(timeout_us, handle_->timeout_us());
      return OverAtNanos(sent_nanos, timeout_us, tick_us_);
    }
    int code = FirstFailure(answer.code, answer.parts).code;
    if (code == kNoNode) {
      return DataLoss(
          fmt::format("ZooKeeper node {}: it was removed although its session has not ended; open "
                      "a new session",
                      paths_.Session(id_)));
    }
    if (!MayAskAgain(code, deadline_nanos)) return UnexpectedAnswer(code, "heartbeat");
  }
}

StatusOr<FileView> ZooKeeperSession::View(int64_t deadline_nanos, const std::string& path,
                                          Freshness freshness) {
  const std::string node = paths_.File(path);
  for (;;) {
    Znode file;
    auto lock = ReadAgain(handle_.get(), deadline_nanos, path, [&] {
      file.code = kNoNode;
      // All three requests are sent before the first answer; members answer in this order.
      auto barrier = freshness == Freshness::kConsistent ? handle_->Barrier(node) : nullptr;
      auto first = handle_->Get(node);
      auto second = handle_->Get(paths_.Lock(path));
      if (barrier != nullptr) {
        Answer answer = barrier->Wait(deadline_nanos);
        if (answer.code != kOk && answer.code != kNoNode) return answer;
      }
      Answer answer = first->Wait(deadline_nanos);
      if (answer.code != kOk) return answer;
      file = std::move(answer.node);
      return second->Wait(deadline_nanos);
    });
    RETURN_IF_ERROR(lock.status());
    ASSIGN_OR_RETURN(std::optional<FileView> view, ViewOf(path, file, lock->node));
    if (view.has_value()) return *std::move(view);
  }
}

StatusOr<LockFile> ZooKeeperSession::Read(const std::string& path, Freshness freshness) {
  RETURN_IF_ERROR(lock_paths::CheckPath(path));
  ASSIGN_OR_RETURN(FileView view, View(Deadline(), path, freshness));
  RETURN_IF_ERROR(CheckExists(path, view));
  return std::move(view.file);
}

StatusOr<std::vector<std::string>> ZooKeeperSession::NamesIn(int64_t deadline_nanos,
                                                             const std::string& directory) {
  const std::string node = paths_.Directory(directory);
  ASSIGN_OR_RETURN(Answer answer, ReadAgain(handle_.get(), deadline_nanos, directory, [&] {
                     auto barrier = handle_->Barrier(node);
                     auto names = handle_->Names(node);
                     Answer first = barrier->Wait(deadline_nanos);
                     if (first.code != kOk && first.code != kNoNode) return first;
                     return names->Wait(deadline_nanos);
                   }));
  std::sort(answer.names.begin(), answer.names.end());
  return std::move(answer.names);
}

StatusOr<std::vector<std::string>> ZooKeeperSession::List(const std::string& directory) {
  RETURN_IF_ERROR(lock_paths::CheckPath(directory));
  return NamesIn(Deadline(), directory);
}

// The barrier before the list of the names makes the reads after it consistent, too.
StatusOr<std::vector<NamedLockFile>> ZooKeeperSession::ReadDirectory(
    const std::string& directory, const std::set<std::string>& except) {
  RETURN_IF_ERROR(lock_paths::CheckPath(directory));
  const int64_t deadline_nanos = Deadline();
  ASSIGN_OR_RETURN(std::vector<std::string> names, NamesIn(deadline_nanos, directory));
  std::erase_if(names, [&](const std::string& name) { return except.contains(name); });
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back(directory + "/" + name);
  ASSIGN_OR_RETURN(std::vector<FileView> views,
                   ViewFiles(handle_.get(), paths_, paths, deadline_nanos));
  std::vector<NamedLockFile> files;
  for (size_t i = 0; i < names.size(); ++i) {
    if (views[i].exists) files.push_back({std::move(names[i]), std::move(views[i].file)});
  }
  return files;
}

std::vector<Change> ZooKeeperSession::CreationOf(const std::string& path,
                                                 const std::string& content, LockFileKind kind,
                                                 uint64_t fence) const {
  const Holder holder{fence, id_, name_};
  if (kind == LockFileKind::kEphemeral) {
    return {{Change::Kind::kCreateEphemeral, paths_.File(path), EncodeEphemeral(holder, content)}};
  }
  std::vector<Change> changes = {{Change::Kind::kCreate, paths_.File(path), content}};
  if (kind == LockFileKind::kLocked) {
    changes.push_back({Change::Kind::kCreateEphemeral, paths_.Lock(path), EncodeHolder(holder)});
  }
  return changes;
}

StatusOr<uint64_t> ZooKeeperSession::TryCreate(int64_t deadline_nanos, const std::string& path,
                                               const std::string& content, LockFileKind kind,
                                               PartAnswer* refused) {
  if (kind == LockFileKind::kLasting) {
    RETURN_IF_ERROR(handle_->WaitConnected(deadline_nanos));
    Answer answer = handle_->Make(CreationOf(path, content, kind, 0))->Wait(deadline_nanos);
    *refused = FirstFailure(answer.code, answer.parts);
    return uint64_t{0};
  }
  ASSIGN_OR_RETURN(NumberCounter::Taken taken, numbers_->Take(deadline_nanos, [&](uint64_t number) {
    return CreationOf(path, content, kind, number);
  }));
  *refused = taken.refused;
  return taken.number;
}

StatusOr<uint64_t> ZooKeeperSession::Create(const std::string& path, const std::string& content,
                                            LockFileKind kind) {
  RETURN_IF_ERROR(CheckChangeable(path));
  RETURN_IF_ERROR(CheckContent(path, content));
  const int64_t deadline_nanos = Deadline();
  for (;;) {
    PartAnswer refused;
    ASSIGN_OR_RETURN(uint64_t fence, TryCreate(deadline_nanos, path, content, kind, &refused));
    if (refused.code == kOk) return fence;
    if (refused.code == kNoNode) {
      RETURN_IF_ERROR(MakeDirectory(deadline_nanos, paths_.DirectoryOf(path)));
      continue;
    }
    if (refused.code != kNodeExists) return UnexpectedAnswer(refused.code, path);
    ASSIGN_OR_RETURN(FileView view, View(deadline_nanos, path));
    if (view.exists) return Exists(path, view);
  }
}

StatusOr<uint64_t> ZooKeeperSession::Write(const std::string& path, const std::string& content,
                                           uint64_t version) {
  RETURN_IF_ERROR(CheckChangeable(path));
  RETURN_IF_ERROR(CheckContent(path, content));
  const int64_t deadline_nanos = Deadline();
  for (;;) {
    ASSIGN_OR_RETURN(FileView view, View(deadline_nanos, path));
    RETURN_IF_ERROR(CheckVersion(path, view, version));
    Answer answer = handle_
                        ->Make({{Change::Kind::kSet, paths_.File(path), Rewritten(view, content),
                                 static_cast<int32_t>(version - 1)}})
                        ->Wait(deadline_nanos);
    PartAnswer refused = FirstFailure(answer.code, answer.parts);
    if (refused.code == kOk) return version + 1;
    if (refused.code != kBadVersion && refused.code != kNoNode) {
      return UnexpectedAnswer(refused.code, path);
    }
  }
}

Status ZooKeeperSession::Remove(const std::string& path, uint64_t version) {
  RETURN_IF_ERROR(CheckChangeable(path));
  const int64_t deadline_nanos = Deadline();
  for (;;) {
    ASSIGN_OR_RETURN(FileView view, View(deadline_nanos, path));
    RETURN_IF_ERROR(CheckVersion(path, view, version));
    std::vector<Change> changes;
    if (view.file.holder != 0 && !view.file.ephemeral) {
      changes.push_back({Change::Kind::kDelete, paths_.Lock(path), "", -1});
    }
    changes.push_back(
        {Change::Kind::kDelete, paths_.File(path), "", static_cast<int32_t>(version - 1)});
    Answer answer = handle_->Make(changes)->Wait(deadline_nanos);
    int code = FirstFailure(answer.code, answer.parts).code;
    if (code == kOk) return OkStatus();
    // Meanwhile the file's lock was acquired or released, or the file was written or removed.
    bool changed = code == kNotEmpty || code == kNoNode || code == kBadVersion;
    if (!changed) return UnexpectedAnswer(code, path);
  }
}

StatusOr<uint64_t> ZooKeeperSession::Acquire(const std::string& path) {
  RETURN_IF_ERROR(CheckChangeable(path));
  const int64_t deadline_nanos = Deadline();
  for (;;) {
    // If another session holds the lock, this call needs no transaction that takes a number. This
    // matters because a standby master often tries to acquire the lock.
    ASSIGN_OR_RETURN(FileView view, View(deadline_nanos, path));
    ASSIGN_OR_RETURN(uint64_t fence, CheckAcquire(path, view, id_));
    if (fence != 0) return fence;
    ASSIGN_OR_RETURN(NumberCounter::Taken taken,
                     numbers_->Take(deadline_nanos, [&](uint64_t number) -> std::vector<Change> {
                       return {{Change::Kind::kCreateEphemeral, paths_.Lock(path),
                                EncodeHolder({number, id_, name_})}};
                     }));
    int code = taken.refused.code;
    if (code == kOk) return taken.number;
    bool changed = code == kNodeExists || code == kNoNode || code == kEphemeralParent;
    if (!changed) return UnexpectedAnswer(code, path);
  }
}

Status ZooKeeperSession::Release(const std::string& path) {
  RETURN_IF_ERROR(lock_paths::CheckPath(path));
  const int64_t deadline_nanos = Deadline();
  ASSIGN_OR_RETURN(FileView view, View(deadline_nanos, path));
  RETURN_IF_ERROR(CheckRelease(path, view, id_));
  Answer answer =
      handle_->Make({{Change::Kind::kDelete, paths_.Lock(path), "", -1}})->Wait(deadline_nanos);
  int code = FirstFailure(answer.code, answer.parts).code;
  if (code != kNoNode) return UnexpectedAnswer(code, path);
  return Aborted(fmt::format("lock '{}': its file was removed during the release", path));
}

StatusOr<uint64_t> ZooKeeperSession::NextEpoch() { return numbers_->Next(Deadline()); }

Status ZooKeeperSession::RaiseEpoch(uint64_t seen) {
  return numbers_->RaiseAbove(Deadline(), seen);
}

}  // namespace sippar::cluster::zookeeper
