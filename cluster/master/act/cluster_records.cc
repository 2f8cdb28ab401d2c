// The named records of AdminApi in a cluster: each record is a file of the lock service, whose
// version makes updates conditional.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/cluster_admin.h"

namespace sippar::cluster::master {
namespace {

StatusOr<NamedRecord> RecordIn(const LockFile& file, const std::string& path) {
  auto record = NamedRecord::Decode(file.content);
  if (!record.ok()) return Annotate(record.status(), path);
  record->version = file.version;
  return record;
}

}  // namespace

StatusOr<NamedRecord> ClusterAdmin::Perform(const calls::GetRecord& asked, const CallTime&) {
  ASSIGN_OR_RETURN(std::shared_ptr<LockSession> session, driver_->Session());
  const std::string path = lock_paths::Record(asked.name);
  auto file = session->Read(path);
  if (file.status().code() == StatusCode::kNotFound) {
    return NotFound(fmt::format("{} not found", asked.name));
  }
  RETURN_IF_ERROR(file.status());
  return RecordIn(*file, path);
}

StatusOr<std::vector<NamedRecord>> ClusterAdmin::Perform(const calls::ListRecords& asked,
                                                         const CallTime&) {
  ASSIGN_OR_RETURN(std::shared_ptr<LockSession> session, driver_->Session());
  ASSIGN_OR_RETURN(std::vector<NamedLockFile> files, session->ReadDirectory(lock_paths::Records()));
  std::vector<NamedRecord> records;
  for (const auto& [name, file] : files) {
    ASSIGN_OR_RETURN(NamedRecord record, RecordIn(file, lock_paths::Records() + "/" + name));
    if (record.name.starts_with(asked.prefix)) records.push_back(std::move(record));
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
