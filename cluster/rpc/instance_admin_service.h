// google.bigtable.admin.v2.BigtableInstanceAdmin, as far as it asks: every instance exists and has
// one cluster and one app profile. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/client/client.h"
#include "cluster/proto/instance_admin.grpc.pb.h"

namespace sippar::cluster {

class InstanceAdminService final
    : public google::bigtable::admin::v2::BigtableInstanceAdmin::Service {
 public:
  explicit InstanceAdminService(Client* client) : client_(client) {}  // outlives the service

  grpc::Status GetInstance(grpc::ServerContext* context,
                           const google::bigtable::admin::v2::GetInstanceRequest* request,
                           google::bigtable::admin::v2::Instance* response) override;
  // Those that have a table.
  grpc::Status ListInstances(grpc::ServerContext* context,
                             const google::bigtable::admin::v2::ListInstancesRequest* request,
                             google::bigtable::admin::v2::ListInstancesResponse* response) override;
  grpc::Status GetCluster(grpc::ServerContext* context,
                          const google::bigtable::admin::v2::GetClusterRequest* request,
                          google::bigtable::admin::v2::Cluster* response) override;
  grpc::Status ListClusters(grpc::ServerContext* context,
                            const google::bigtable::admin::v2::ListClustersRequest* request,
                            google::bigtable::admin::v2::ListClustersResponse* response) override;
  grpc::Status GetAppProfile(grpc::ServerContext* context,
                             const google::bigtable::admin::v2::GetAppProfileRequest* request,
                             google::bigtable::admin::v2::AppProfile* response) override;
  grpc::Status ListAppProfiles(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::ListAppProfilesRequest* request,
      google::bigtable::admin::v2::ListAppProfilesResponse* response) override;

 private:
  Client* client_;
};

}  // namespace sippar::cluster
