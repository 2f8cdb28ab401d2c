// The named records of AdminApi in a cluster: each record is a file of the lock service, whose
// version makes updates conditional.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/cluster_admin.h"

namespace sippar::cluster::master {
namespace {

StatusOr<NamedRecord> ReadRecord(LockSession* session, const std::string& path) {
  ASSIGN_OR_RETURN(LockFile file, session->Read(path));
  auto record = NamedRecord::Decode(file.content);
  if (!record.ok()) return Annotate(record.status(), path);
  record->version = file.version;
  return record;
}

}  // namespace

StatusOr<NamedRecord> ClusterAdmin::Perform(const calls::GetRecord& asked, const CallTime&) {
  ASSIGN_OR_RETURN(std::shared_ptr<LockSession> session, driver_->Session());
  auto record = ReadRecord(session.get(), lock_paths::Record(asked.name));
  if (record.status().code() == StatusCode::kNotFound) {
    return NotFound(fmt::format("{} not found", asked.name));
  }
  return record;
}

StatusOr<std::vector<NamedRecord>> ClusterAdmin::Perform(const calls::ListRecords& asked,
                                                         const CallTime&) {
  ASSIGN_OR_RETURN(std::shared_ptr<LockSession> session, driver_->Session());
  ASSIGN_OR_RETURN(std::vector<std::string> names, session->List(lock_paths::Records()));
  std::vector<NamedRecord> records;
  for (const std::string& name : names) {
    auto record = ReadRecord(session.get(), lock_paths::Records() + "/" + name);
    if (record.status().code() == StatusCode::kNotFound) continue;  // deleted since the listing
    RETURN_IF_ERROR(record.status());
    if (record->name.starts_with(asked.prefix)) records.push_back(std::move(*record));
  }
  std::sort(records.begin(), records.end(),
            [](const NamedRecord& a, const NamedRecord& b) { return a.name < b.name; });
  return records;
}

Status ClusterAdmin::Perform(const calls::PutRecord& asked, const CallTime&) {
  const auto& [name, body, version] = asked;
  NamedRecord record{name, body, 0};
  RETURN_IF_ERROR(record.Validate());
  ASSIGN_OR_RETURN(std::shared_ptr<LockSession> session, driver_->Session());
  std::string path = lock_paths::Record(name);
  Status status = version == 0
                      ? session->Create(path, record.Encode(), LockFileKind::kLasting).status()
                      : session->Write(path, record.Encode(), version).status();
  bool is_race =
      status.code() == StatusCode::kAlreadyExists || status.code() == StatusCode::kNotFound;
  if (!is_race) return status;
  return Aborted(
      fmt::format("{} was changed by another caller since it was read; read it again", name));
}

Status ClusterAdmin::Perform(const calls::DeleteRecord& asked, const CallTime&) {
  ASSIGN_OR_RETURN(std::shared_ptr<LockSession> session, driver_->Session());
  return session->Remove(lock_paths::Record(asked.name), asked.version);
}

}  // namespace sippar::cluster::master
