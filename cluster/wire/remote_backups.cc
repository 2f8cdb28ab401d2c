// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/remote_backups.h"

#include <utility>

namespace sippar::cluster {
namespace {

using Stub = wire::Store::Stub;

wire::BackupRequest OfBackup(const std::string& name, int64_t time_us = 0) {
  wire::BackupRequest request;
  request.set_name(name);
  request.set_time_us(time_us);
  return request;
}

wire::BackupRequest OfTable(const std::string& table, int64_t time_us = 0) {
  wire::BackupRequest request;
  request.set_table(table);
  request.set_time_us(time_us);
  return request;
}

// No timeout: the duration of some of these calls depends on the number of files.
template <typename Request>
StatusOr<std::vector<BackupInfo>> All(StoreConnection* connection,
                                      StoreConnection::Method<Request, wire::BackupsReply> method,
                                      const Request& request, Effect effect) {
  wire::BackupsReply reply;
  RETURN_IF_ERROR(connection->Call(method, request, effect, &reply, kNoTimeout));
  RETURN_IF_ERROR(FromProto(reply.outcome()));
  std::vector<BackupInfo> all;
  for (const auto& backup : reply.backups()) all.push_back(FromProto(backup));
  return all;
}

StatusOr<BackupInfo> One(StoreConnection* connection,
                         StoreConnection::Method<wire::BackupRequest, wire::BackupsReply> method,
                         const wire::BackupRequest& request, Effect effect) {
  ASSIGN_OR_RETURN(std::vector<BackupInfo> all, All(connection, method, request, effect));
  if (all.size() != 1) return Internal("the server's answer does not hold the backup");
  return std::move(all.front());
}

}  // namespace

StatusOr<BackupInfo> RemoteBackups::CreateBackup(const std::string& name, const std::string& table,
                                                 int64_t expires_us) {
  wire::BackupRequest request = OfBackup(name, expires_us);
  request.set_table(table);
  return One(connection_.get(), &Stub::CreateBackup, request, Effect::kUnknown);
}

StatusOr<BackupInfo> RemoteBackups::CopyBackup(const std::string& source, const std::string& name,
                                               int64_t expires_us) {
  wire::BackupRequest request = OfBackup(name, expires_us);
  request.set_source(source);
  return One(connection_.get(), &Stub::CopyBackup, request, Effect::kUnknown);
}

StatusOr<BackupInfo> RemoteBackups::GetBackup(const std::string& name) {
  return One(connection_.get(), &Stub::GetBackup, OfBackup(name), Effect::kNone);
}

StatusOr<std::vector<BackupInfo>> RemoteBackups::ListBackups() {
  return All(connection_.get(), &Stub::ListBackups, wire::AllRequest(), Effect::kNone);
}

StatusOr<BackupInfo> RemoteBackups::SetBackupExpiry(const std::string& name, int64_t expires_us) {
  return One(connection_.get(), &Stub::SetBackupExpiry, OfBackup(name, expires_us),
             Effect::kUnknown);
}

Status RemoteBackups::DeleteBackup(const std::string& name) {
  return connection_->Do(&Stub::DeleteBackup, OfBackup(name), Effect::kUnknown);
}

Status RemoteBackups::RestoreTable(const std::string& name, const std::string& table) {
  wire::BackupRequest request = OfBackup(name);
  request.set_table(table);
  return connection_->Do(&Stub::RestoreTable, request, Effect::kUnknown);
}

Status RemoteBackups::DropTable(const std::string& table, int64_t keep_us) {
  return connection_->Do(&Stub::DropKeptTable, OfTable(table, keep_us), Effect::kUnknown);
}

Status RemoteBackups::UndeleteTable(const std::string& table) {
  return connection_->Do(&Stub::UndeleteTable, OfTable(table), Effect::kUnknown);
}

}  // namespace sippar::cluster
