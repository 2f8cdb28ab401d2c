// google.bigtable.admin.v2.BigtableTableAdmin over AdminApi and DataApi: translates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/client/client.h"
#include "cluster/proto/table_admin.grpc.pb.h"
#include "cluster/rpc/operations_service.h"

namespace sippar::cluster {

class TableAdminService final : public google::bigtable::admin::v2::BigtableTableAdmin::Service {
 public:
  // Both outlive the service.
  TableAdminService(Client* client, OperationsService* operations)
      : client_(client), operations_(operations) {}

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

 private:
  Client* client_;
  OperationsService* operations_;
};

}  // namespace sippar::cluster
