// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/membership.h"

#include <fmt/format.h>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/member_record.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

// Fails if another life (run of a server) of the same name holds its lock and was there first: it
// has an earlier epoch, or made its file earlier, which its lower fencing number shows. Of two
// lives, the one that makes its file second always sees the other's file, and gives way. The epoch
// counts, too, because a life that loses its lock and takes it again gets a higher fencing number.
Status CheckAlone(LockSession* session, const ServerId& own, uint64_t own_fence) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, session->List(lock_paths::Servers()));
  for (const std::string& name : names) {
    auto other = ServerId::Parse(name);
    if (!other.ok() || other->name != own.name || other->epoch == own.epoch) continue;
    auto file = session->Read(lock_paths::Server(*other));
    if (file.status().code() == StatusCode::kNotFound) continue;
    RETURN_IF_ERROR(file.status());
    const bool was_first = other->epoch < own.epoch || file->fence < own_fence;
    if (file->holder == 0 || !was_first) continue;
    auto record = MemberRecord::Decode(file->content);
    return AlreadyExists(fmt::format(
        "server name '{}' is in use by {} ({}, session {}); give this server another name, or wait "
        "for the lease of the other to end if that server is dead",
        own.name, other->ToString(),
        record.ok() ? record->Print() : engine::PrintableBytes(file->content), file->holder));
  }
  return OkStatus();
}

}  // namespace

Status JoinCluster(LockSession* session, const std::string& id, bool create) {
  const std::string path = lock_paths::ClusterId();
  auto found = session->Read(path);
  if (create && found.status().code() == StatusCode::kNotFound) {
    Status created = session->Create(path, id, LockFileKind::kLasting).status();
    if (!created.ok() && created.code() != StatusCode::kAlreadyExists) return created;
    found = session->Read(path);
  }
  if (found.status().code() == StatusCode::kNotFound) {
    return FailedPrecondition(
        fmt::format("lock service: its file {} is missing, though the store of cluster '{}' "
                    "has logs; put the files of the lock service back from a copy, or name "
                    "the lock service that the store used",
                    path, id));
  }
  RETURN_IF_ERROR(found.status());
  if (found->content == id) return OkStatus();
  return FailedPrecondition(
      fmt::format("lock service: it belongs to cluster '{}', and the store to cluster "
                  "'{}'; give each cluster a lock service of its own, or put the files of "
                  "both back from one copy",
                  engine::PrintableBytes(found->content), id));
}

StatusOr<Registration> RegisterServer(LockSession* session, const std::string& name,
                                      const std::string& content, const PrepareLife& prepare) {
  Registration registration;
  registration.id.name = name;
  ASSIGN_OR_RETURN(registration.id.epoch, session->NextEpoch());
  if (prepare) RETURN_IF_ERROR(prepare(registration.id));
  registration.path = lock_paths::Server(registration.id);
  auto fence = session->Create(registration.path, content, LockFileKind::kLocked);
  if (fence.status().code() == StatusCode::kUnavailable) {
    // The outcome is unknown, but no other life has this epoch: if the file exists, it is this
    // life's.
    ASSIGN_OR_RETURN(LockFile file, session->Read(registration.path));
    fence = file.fence;
  }
  RETURN_IF_ERROR(fence.status());
  registration.fence = *fence;
  Status alone = CheckAlone(session, registration.id, registration.fence);
  if (alone.ok()) return registration;
  // This life has served nothing and its log is empty, so no recovery needs its lock file.
  (void)session->Remove(registration.path, 1);
  return alone;
}

StatusOr<std::set<ServerId>> LivesWithLocks(LockSession* session) {
  ASSIGN_OR_RETURN(std::vector<NamedLockFile> files, session->ReadDirectory(lock_paths::Servers()));
  std::set<ServerId> lives;
  for (const auto& [name, file] : files) {
    auto id = ServerId::Parse(name);
    if (id.ok() && file.holder != 0) lives.insert(*std::move(id));
  }
  return lives;
}

}  // namespace sippar::cluster
