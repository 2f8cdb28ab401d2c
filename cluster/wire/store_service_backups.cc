// The calls for backups. SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/store_service.h"

namespace sippar::cluster {
namespace {

// Makes a function that passes the client's BackupApi to `call`.
template <typename Call>
auto OnBackups(Client* client, Call call) {
  return [client, call]() -> Status {
    BackupApi* backups = client->admin()->backups();
    return backups == nullptr ? Unimplemented("this server keeps no backups") : call(backups);
  };
}

Status Give(const StatusOr<BackupInfo>& info, wire::BackupsReply* reply) {
  if (info.ok()) ToProto(*info, reply->add_backups());
  return info.status();
}

}  // namespace

grpc::Status StoreService::CreateBackup(Context*, const wire::BackupRequest* request,
                                        wire::BackupsReply* reply) {
  return Once(reply, OnBackups(client_, [&](BackupApi* backups) {
                return Give(
                    backups->CreateBackup(request->name(), request->table(), request->time_us()),
                    reply);
              }));
}

grpc::Status StoreService::CopyBackup(Context*, const wire::BackupRequest* request,
                                      wire::BackupsReply* reply) {
  return Once(reply, OnBackups(client_, [&](BackupApi* backups) {
                return Give(
                    backups->CopyBackup(request->source(), request->name(), request->time_us()),
                    reply);
              }));
}

grpc::Status StoreService::GetBackup(Context*, const wire::BackupRequest* request,
                                     wire::BackupsReply* reply) {
  return Once(reply, OnBackups(client_, [&](BackupApi* backups) {
                return Give(backups->GetBackup(request->name()), reply);
              }));
}

grpc::Status StoreService::ListBackups(Context*, const wire::AllRequest*,
                                       wire::BackupsReply* reply) {
  return Once(reply, OnBackups(client_, [&](BackupApi* backups) {
                auto all = backups->ListBackups();
                if (!all.ok()) return all.status();
                for (const BackupInfo& info : *all) ToProto(info, reply->add_backups());
                return OkStatus();
              }));
}

grpc::Status StoreService::SetBackupExpiry(Context*, const wire::BackupRequest* request,
                                           wire::BackupsReply* reply) {
  return Once(reply, OnBackups(client_, [&](BackupApi* backups) {
                return Give(backups->SetBackupExpiry(request->name(), request->time_us()), reply);
              }));
}

grpc::Status StoreService::DeleteBackup(Context*, const wire::BackupRequest* request,
                                        wire::DoneReply* reply) {
  return Once(reply, OnBackups(client_, [&](BackupApi* backups) {
                return backups->DeleteBackup(request->name());
              }));
}

grpc::Status StoreService::RestoreTable(Context*, const wire::BackupRequest* request,
                                        wire::DoneReply* reply) {
  return Once(reply, OnBackups(client_, [&](BackupApi* backups) {
                return backups->RestoreTable(request->name(), request->table());
              }));
}

grpc::Status StoreService::DropKeptTable(Context*, const wire::BackupRequest* request,
                                         wire::DoneReply* reply) {
  return Once(reply, OnBackups(client_, [&](BackupApi* backups) {
                return backups->DropTable(request->table(), request->time_us());
              }));
}

grpc::Status StoreService::UndeleteTable(Context*, const wire::BackupRequest* request,
                                         wire::DoneReply* reply) {
  return Once(reply, OnBackups(client_, [&](BackupApi* backups) {
                return backups->UndeleteTable(request->table());
              }));
}

}  // namespace sippar::cluster
