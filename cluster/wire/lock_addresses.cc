// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/lock_addresses.h"

#include <fmt/format.h>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/member_record.h"

namespace sippar::cluster {
namespace {

// Whatever the error of the lock session or of the record is, to the caller it means only that the
// address is not known at present: kUnavailable.
Status NotKnown(const Status& failure, const std::string& member) {
  return Unavailable(fmt::format("{}: its address is not known ({})", member, MessageOf(failure)));
}

}  // namespace

StatusOr<MemberAddress> LockAddresses::OfServer(const ServerId& server) {
  const std::string life = server.ToString();
  auto file = session_->Read(lock_paths::Server(server));
  if (file.status().code() == StatusCode::kNotFound) {
    return Unavailable(fmt::format("server {} has stopped", life));
  }
  if (!file.ok()) return NotKnown(file.status(), life);
  auto record = MemberRecord::Decode(file->content);
  if (!record.ok()) return NotKnown(record.status(), life);
  return MemberAddress{record->host, record->port, life};
}

StatusOr<MemberAddress> LockAddresses::OfMaster() {
  auto file = session_->Read(lock_paths::MasterLock());
  if (!file.ok()) return NotKnown(file.status(), "master");
  if (file->holder == 0)
    return Unavailable(
        "master: none runs at present (no process holds its lock); try again, or start one");
  auto record = MemberRecord::Decode(file->content);
  if (!record.ok()) return NotKnown(record.status(), "master");
  // The file keeps the previous master's address until the new master writes its own. Only the new
  // master's record has the same fence as the file.
  if (record->fence != file->fence) {
    return Unavailable("master: it has not recorded its address yet; try again");
  }
  return MemberAddress{record->host, record->port, ""};
}

}  // namespace sippar::cluster
