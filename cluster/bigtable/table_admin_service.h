// Implements google.bigtable.admin.v2.BigtableTableAdmin through AdminApi and DataApi.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/bigtable/instance_records.h"
#include "cluster/bigtable/operations_service.h"
#include "cluster/client/client.h"
#include "cluster/proto/table_admin.grpc.pb.h"

namespace sippar::cluster {

class TableAdminService final : public google::bigtable::admin::v2::BigtableTableAdmin::Service {
 public:
  // Both must outlive the service.
  TableAdminService(const InstanceRecords* records, OperationsService* operations)
      : client_(records->client()), records_(records), operations_(operations) {}

  grpc::Status CreateTable(grpc::ServerContext* context,
                           const google::bigtable::admin::v2::CreateTableRequest* request,
                           google::bigtable::admin::v2::Table* response) override;
  grpc::Status ListTables(grpc::ServerContext* context,
                          const google::bigtable::admin::v2::ListTablesRequest* request,
                          google::bigtable::admin::v2::ListTablesResponse* response) override;
  grpc::Status GetTable(grpc::ServerContext* context,
                        const google::bigtable::admin::v2::GetTableRequest* request,
                        google::bigtable::admin::v2::Table* response) override;
  grpc::Status UpdateTable(grpc::ServerContext* context,
                           const google::bigtable::admin::v2::UpdateTableRequest* request,
                           google::longrunning::Operation* response) override;
  grpc::Status DeleteTable(grpc::ServerContext* context,
                           const google::bigtable::admin::v2::DeleteTableRequest* request,
                           google::protobuf::Empty* response) override;
  grpc::Status ModifyColumnFamilies(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::ModifyColumnFamiliesRequest* request,
      google::bigtable::admin::v2::Table* response) override;
  grpc::Status DropRowRange(grpc::ServerContext* context,
                            const google::bigtable::admin::v2::DropRowRangeRequest* request,
                            google::protobuf::Empty* response) override;
  grpc::Status GenerateConsistencyToken(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::GenerateConsistencyTokenRequest* request,
      google::bigtable::admin::v2::GenerateConsistencyTokenResponse* response) override;
  grpc::Status CheckConsistency(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::CheckConsistencyRequest* request,
      google::bigtable::admin::v2::CheckConsistencyResponse* response) override;

  // The calls in authorized_view_calls.cc.
  grpc::Status CreateAuthorizedView(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::CreateAuthorizedViewRequest* request,
      google::longrunning::Operation* response) override;
  grpc::Status ListAuthorizedViews(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::ListAuthorizedViewsRequest* request,
      google::bigtable::admin::v2::ListAuthorizedViewsResponse* response) override;
  grpc::Status GetAuthorizedView(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::GetAuthorizedViewRequest* request,
      google::bigtable::admin::v2::AuthorizedView* response) override;
  grpc::Status UpdateAuthorizedView(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::UpdateAuthorizedViewRequest* request,
      google::longrunning::Operation* response) override;
  grpc::Status DeleteAuthorizedView(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::DeleteAuthorizedViewRequest* request,
      google::protobuf::Empty* response) override;

  // The calls in schema_bundles.cc.
  grpc::Status CreateSchemaBundle(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::CreateSchemaBundleRequest* request,
      google::longrunning::Operation* response) override;
  grpc::Status UpdateSchemaBundle(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::UpdateSchemaBundleRequest* request,
      google::longrunning::Operation* response) override;
  grpc::Status GetSchemaBundle(grpc::ServerContext* context,
                               const google::bigtable::admin::v2::GetSchemaBundleRequest* request,
                               google::bigtable::admin::v2::SchemaBundle* response) override;
  grpc::Status ListSchemaBundles(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::ListSchemaBundlesRequest* request,
      google::bigtable::admin::v2::ListSchemaBundlesResponse* response) override;
  grpc::Status DeleteSchemaBundle(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::DeleteSchemaBundleRequest* request,
      google::protobuf::Empty* response) override;

  // The calls in iam.cc.
  grpc::Status GetIamPolicy(grpc::ServerContext* context,
                            const google::iam::v1::GetIamPolicyRequest* request,
                            google::iam::v1::Policy* response) override;
  grpc::Status SetIamPolicy(grpc::ServerContext* context,
                            const google::iam::v1::SetIamPolicyRequest* request,
                            google::iam::v1::Policy* response) override;
  grpc::Status TestIamPermissions(grpc::ServerContext* context,
                                  const google::iam::v1::TestIamPermissionsRequest* request,
                                  google::iam::v1::TestIamPermissionsResponse* response) override;

  // The calls in backup_calls.cc.
  grpc::Status UndeleteTable(grpc::ServerContext* context,
                             const google::bigtable::admin::v2::UndeleteTableRequest* request,
                             google::longrunning::Operation* response) override;
  grpc::Status CreateBackup(grpc::ServerContext* context,
                            const google::bigtable::admin::v2::CreateBackupRequest* request,
                            google::longrunning::Operation* response) override;
  grpc::Status GetBackup(grpc::ServerContext* context,
                         const google::bigtable::admin::v2::GetBackupRequest* request,
                         google::bigtable::admin::v2::Backup* response) override;
  grpc::Status UpdateBackup(grpc::ServerContext* context,
                            const google::bigtable::admin::v2::UpdateBackupRequest* request,
                            google::bigtable::admin::v2::Backup* response) override;
  grpc::Status DeleteBackup(grpc::ServerContext* context,
                            const google::bigtable::admin::v2::DeleteBackupRequest* request,
                            google::protobuf::Empty* response) override;
  grpc::Status ListBackups(grpc::ServerContext* context,
                           const google::bigtable::admin::v2::ListBackupsRequest* request,
                           google::bigtable::admin::v2::ListBackupsResponse* response) override;
  grpc::Status CopyBackup(grpc::ServerContext* context,
                          const google::bigtable::admin::v2::CopyBackupRequest* request,
                          google::longrunning::Operation* response) override;
  grpc::Status RestoreTable(grpc::ServerContext* context,
                            const google::bigtable::admin::v2::RestoreTableRequest* request,
                            google::longrunning::Operation* response) override;

 private:
  int64_t NowSeconds() { return client_->clock()->NowMicros() / 1'000'000; }

  Client* client_;
  const InstanceRecords* records_;
  OperationsService* operations_;
};

}  // namespace sippar::cluster
