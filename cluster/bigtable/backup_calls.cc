// The calls of TableAdminService for backups, for tables restored from them, and for tables that
// are undeleted. They copy no data: a backup only adds names to existing files. So a call does all
// its work before it returns, and the long-running operation that it returns is already done.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cluster/bigtable/backup_names.h"
#include "cluster/bigtable/message_records.h"
#include "cluster/bigtable/resource_names.h"
#include "cluster/bigtable/schema_convert.h"
#include "cluster/bigtable/table_admin_service.h"
#include "cluster/grpc/status_codes.h"

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;
using google::protobuf::Timestamp;

constexpr int64_t kMicros = 1'000'000;
constexpr int64_t kExpiryMax = int64_t{90} * 24 * 3600 * kMicros;  // limit of Cloud Bigtable

void SetTime(int64_t time_us, Timestamp* out) {
  out->set_seconds(time_us / kMicros);
  out->set_nanos(static_cast<int32_t>(time_us % kMicros * 1000));
}

// Checks the seconds before it multiplies them: a client may send any int64, and the product could
// overflow.
StatusOr<int64_t> ExpiryOf(const Timestamp& expire_time, int64_t now_us) {
  int64_t seconds = expire_time.seconds();
  if (seconds > 0 && seconds <= (now_us + kExpiryMax) / kMicros) {
    int64_t time_us = seconds * kMicros + expire_time.nanos() / 1000;
    if (time_us > now_us) return time_us;
  }
  return InvalidArgument(
      fmt::format("expire_time is {} s; it must be within the next 90 days (now is {} s)", seconds,
                  now_us / kMicros));
}

std::string TableNameOf(const std::string& stored) {
  auto name = TableName::FromStored(stored);
  return name.ok() ? name->ToString() : stored;
}

std::string SourceOf(const BackupInfo& info) {
  return info.source_backup.empty() ? "" : BackupName::FromStored(info.source_backup).ToString();
}

void ToProto(const BackupInfo& info, admin::Backup* out) {
  out->set_name(BackupName::FromStored(info.name).ToString());
  out->set_source_table(TableNameOf(info.source_table));
  out->set_source_backup(SourceOf(info));
  SetTime(info.expires_us, out->mutable_expire_time());
  SetTime(info.started_us, out->mutable_start_time());
  SetTime(info.ended_us, out->mutable_end_time());
  out->set_size_bytes(static_cast<int64_t>(info.size_bytes));
  out->set_state(admin::Backup::READY);
  out->set_backup_type(admin::Backup::STANDARD);
}

void ToProto(const BackupInfo& info, admin::BackupInfo* out) {
  out->set_backup(BackupName::FromStored(info.name).ToString());
  out->set_source_table(TableNameOf(info.source_table));
  out->set_source_backup(SourceOf(info));
  SetTime(info.started_us, out->mutable_start_time());
  SetTime(info.ended_us, out->mutable_end_time());
}

StatusOr<BackupInfo> DoCreate(const InstanceRecords& records,
                              const admin::CreateBackupRequest& request) {
  ASSIGN_OR_RETURN(BackupName name,
                   BackupName::OfNew(records, request.parent(), request.backup_id()));
  ASSIGN_OR_RETURN(TableName table, TableName::Parse(request.backup().source_table()));
  if (!(table.instance == name.cluster.instance)) {
    return InvalidArgument(
        fmt::format("backup.source_table '{}' is not in {}, the instance of parent",
                    table.ToString(), name.cluster.instance.ToString()));
  }
  if (request.backup().backup_type() == admin::Backup::HOT) {
    return Unimplemented("backup_type HOT is not supported; use STANDARD");
  }
  ASSIGN_OR_RETURN(int64_t expires_us, ExpiryOf(request.backup().expire_time(),
                                                records.client()->clock()->NowMicros()));
  return records.admin()->Do(calls::CreateBackup{name.stored(), table.stored(), expires_us});
}

StatusOr<BackupInfo> DoUpdate(const InstanceRecords& records,
                              const admin::UpdateBackupRequest& request) {
  ASSIGN_OR_RETURN(BackupName name, BackupName::Parse(request.backup().name()));
  const auto& paths = request.update_mask().paths();
  if (paths.size() != 1 || paths[0] != "expire_time") {
    return InvalidArgument(
        "update_mask must name expire_time and nothing else; only that field can be changed");
  }
  ASSIGN_OR_RETURN(int64_t expires_us, ExpiryOf(request.backup().expire_time(),
                                                records.client()->clock()->NowMicros()));
  return records.admin()->Do(calls::SetBackupExpiry{name.stored(), expires_us});
}

// The page token for a page that ends with this backup.
std::string TokenOf(const BackupInfo& info) {
  BackupName name = BackupName::FromStored(info.name);
  return name.cluster.id + "/" + name.id;
}

// Lists the newest backup first, as Cloud Bigtable does.
Status DoList(const InstanceRecords& records, const admin::ListBackupsRequest& request,
              admin::ListBackupsResponse* response) {
  ASSIGN_OR_RETURN(PartName cluster, PartName::Parse(request.parent(), "clusters"));
  bool is_of_all = cluster.id == "-";
  RETURN_IF_ERROR(is_of_all ? records.CheckExists(cluster.instance)
                            : records.GetCluster(cluster).status());
  if (!request.filter().empty()) return Unimplemented("filter is not supported; leave it empty");
  if (!request.order_by().empty() && request.order_by() != "start_time desc") {
    return Unimplemented("order_by: only 'start_time desc' is supported");
  }
  ASSIGN_OR_RETURN(Page page, Page::Of(request.page_size(), request.page_token()));
  ASSIGN_OR_RETURN(std::vector<BackupInfo> all, records.admin()->Do(calls::ListBackups{}));
  std::reverse(all.begin(), all.end());
  std::erase_if(all, [&](const BackupInfo& info) {
    PartName of = BackupName::FromStored(info.name).cluster;
    return !(of.instance == cluster.instance) || !(is_of_all || of.id == cluster.id);
  });
  // The token names the last backup of the previous page; this page starts after that backup. The
  // token is not a position, because backups added or removed between two calls would shift it.
  auto next = all.begin();
  if (!page.after.empty()) {
    next = std::find_if(all.begin(), all.end(),
                        [&](const BackupInfo& info) { return TokenOf(info) == page.after; });
    if (next == all.end())
      return InvalidArgument(
          fmt::format("page_token '{}': its backup was deleted since, or no page returned this "
                      "token; list again from the start",
                      page.after.substr(0, 100)));
    ++next;
  }
  for (; next != all.end() && page.size > 0; ++next, --page.size)
    ToProto(*next, response->add_backups());
  if (next != all.end()) {
    response->set_next_page_token(TokenOf(*std::prev(next)));
  }
  return OkStatus();
}

StatusOr<BackupInfo> DoCopy(const InstanceRecords& records,
                            const admin::CopyBackupRequest& request) {
  ASSIGN_OR_RETURN(BackupName name,
                   BackupName::OfNew(records, request.parent(), request.backup_id()));
  ASSIGN_OR_RETURN(BackupName source, BackupName::Parse(request.source_backup()));
  ASSIGN_OR_RETURN(int64_t expires_us,
                   ExpiryOf(request.expire_time(), records.client()->clock()->NowMicros()));
  return records.admin()->Do(calls::CopyBackup{source.stored(), name.stored(), expires_us});
}

StatusOr<BackupInfo> DoGet(const InstanceRecords& records, const std::string& name) {
  ASSIGN_OR_RETURN(BackupName parsed, BackupName::Parse(name));
  return records.admin()->Do(calls::GetBackup{parsed.stored()});
}

StatusOr<TableName> DoRestore(const InstanceRecords& records,
                              const admin::RestoreTableRequest& request) {
  ASSIGN_OR_RETURN(InstanceName instance, InstanceName::Parse(request.parent()));
  ASSIGN_OR_RETURN(TableName table, TableName::Of(instance, request.table_id()));
  ASSIGN_OR_RETURN(BackupName source, BackupName::Parse(request.backup()));
  RETURN_IF_ERROR(records.admin()->Do(calls::RestoreTable{source.stored(), table.stored()}));
  return table;
}

StatusOr<TableName> DoUndelete(const InstanceRecords& records, const std::string& name) {
  ASSIGN_OR_RETURN(TableName table, TableName::Parse(name));
  RETURN_IF_ERROR(records.admin()->Do(calls::UndeleteTable{table.stored()}));
  return table;
}

Status DoDelete(const InstanceRecords& records, const std::string& name) {
  ASSIGN_OR_RETURN(BackupName parsed, BackupName::Parse(name));
  return records.admin()->Do(calls::DeleteBackup{parsed.stored()});
}

// Returns the restored table in the form in which the operation reports it.
StatusOr<admin::Table> TableOf(const InstanceRecords& records, const TableName& name) {
  ASSIGN_OR_RETURN(TableInfo info, records.admin()->Do(calls::GetTable{name.stored()}));
  admin::Table table;
  TableToProto(name, info.schema, admin::Table::SCHEMA_VIEW, &table);
  return table;
}

grpc::Status AnswerWith(const StatusOr<BackupInfo>& info, admin::Backup* response) {
  if (info.ok()) ToProto(*info, response);
  return ToGrpc(info.status());
}

}  // namespace

grpc::Status TableAdminService::CreateBackup(grpc::ServerContext*,
                                             const admin::CreateBackupRequest* request,
                                             google::longrunning::Operation* response) {
  StatusOr<BackupInfo> info = DoCreate(*records_, *request);
  if (!info.ok()) return ToGrpc(info.status());
  admin::Backup backup;
  ToProto(*info, &backup);
  admin::CreateBackupMetadata metadata;
  metadata.set_name(backup.name());
  metadata.set_source_table(backup.source_table());
  *metadata.mutable_start_time() = backup.start_time();
  *metadata.mutable_end_time() = backup.end_time();
  *response = operations_->Done(backup.name(), metadata, backup);
  return grpc::Status::OK;
}

grpc::Status TableAdminService::GetBackup(grpc::ServerContext*,
                                          const admin::GetBackupRequest* request,
                                          admin::Backup* response) {
  return AnswerWith(DoGet(*records_, request->name()), response);
}

grpc::Status TableAdminService::UpdateBackup(grpc::ServerContext*,
                                             const admin::UpdateBackupRequest* request,
                                             admin::Backup* response) {
  return AnswerWith(DoUpdate(*records_, *request), response);
}

grpc::Status TableAdminService::DeleteBackup(grpc::ServerContext*,
                                             const admin::DeleteBackupRequest* request,
                                             google::protobuf::Empty*) {
  return ToGrpc(DoDelete(*records_, request->name()));
}

grpc::Status TableAdminService::ListBackups(grpc::ServerContext*,
                                            const admin::ListBackupsRequest* request,
                                            admin::ListBackupsResponse* response) {
  return ToGrpc(DoList(*records_, *request, response));
}

grpc::Status TableAdminService::CopyBackup(grpc::ServerContext*,
                                           const admin::CopyBackupRequest* request,
                                           google::longrunning::Operation* response) {
  StatusOr<BackupInfo> info = DoCopy(*records_, *request);
  if (!info.ok()) return ToGrpc(info.status());
  admin::Backup backup;
  ToProto(*info, &backup);
  admin::CopyBackupMetadata metadata;
  metadata.set_name(backup.name());
  metadata.mutable_source_backup_info()->set_backup(request->source_backup());
  metadata.mutable_source_backup_info()->set_source_table(backup.source_table());
  *response = operations_->Done(backup.name(), metadata, backup);
  return grpc::Status::OK;
}

grpc::Status TableAdminService::RestoreTable(grpc::ServerContext*,
                                             const admin::RestoreTableRequest* request,
                                             google::longrunning::Operation* response) {
  // The backup, which the metadata describes, is read before the table is restored: it may expire
  // directly after that.
  StatusOr<BackupInfo> source = DoGet(*records_, request->backup());
  if (!source.ok()) return ToGrpc(source.status());
  StatusOr<TableName> name = DoRestore(*records_, *request);
  if (!name.ok()) return ToGrpc(name.status());
  StatusOr<admin::Table> table = TableOf(*records_, *name);
  if (!table.ok()) return ToGrpc(table.status());
  admin::RestoreTableMetadata metadata;
  metadata.set_name(table->name());
  metadata.set_source_type(admin::BACKUP);
  ToProto(*source, metadata.mutable_backup_info());
  *response = operations_->Done(table->name(), metadata, *table);
  return grpc::Status::OK;
}

grpc::Status TableAdminService::UndeleteTable(grpc::ServerContext*,
                                              const admin::UndeleteTableRequest* request,
                                              google::longrunning::Operation* response) {
  admin::UndeleteTableMetadata metadata;
  SetTime(client_->clock()->NowMicros(), metadata.mutable_start_time());
  StatusOr<TableName> name = DoUndelete(*records_, request->name());
  if (!name.ok()) return ToGrpc(name.status());
  StatusOr<admin::Table> table = TableOf(*records_, *name);
  if (!table.ok()) return ToGrpc(table.status());
  metadata.set_name(table->name());
  SetTime(client_->clock()->NowMicros(), metadata.mutable_end_time());
  *response = operations_->Done(table->name(), metadata, *table);
  return grpc::Status::OK;
}

}  // namespace sippar::cluster
