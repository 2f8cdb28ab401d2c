// Implements google.bigtable.admin.v2.BigtableInstanceAdmin on named records (instance_records.h).
// The calls are defined in the files named below. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/bigtable/instance_records.h"
#include "cluster/bigtable/operations_service.h"
#include "cluster/proto/instance_admin.grpc.pb.h"

namespace sippar::cluster {

class InstanceAdminService final
    : public google::bigtable::admin::v2::BigtableInstanceAdmin::Service {
 public:
  // Both must outlive the service.
  InstanceAdminService(const InstanceRecords* records, OperationsService* operations)
      : records_(records), operations_(operations) {}

  // The calls in instances.cc.
  grpc::Status CreateInstance(grpc::ServerContext* context,
                              const google::bigtable::admin::v2::CreateInstanceRequest* request,
                              google::longrunning::Operation* response) override;
  grpc::Status GetInstance(grpc::ServerContext* context,
                           const google::bigtable::admin::v2::GetInstanceRequest* request,
                           google::bigtable::admin::v2::Instance* response) override;
  grpc::Status ListInstances(grpc::ServerContext* context,
                             const google::bigtable::admin::v2::ListInstancesRequest* request,
                             google::bigtable::admin::v2::ListInstancesResponse* response) override;
  grpc::Status UpdateInstance(grpc::ServerContext* context,
                              const google::bigtable::admin::v2::Instance* request,
                              google::bigtable::admin::v2::Instance* response) override;
  grpc::Status PartialUpdateInstance(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::PartialUpdateInstanceRequest* request,
      google::longrunning::Operation* response) override;
  grpc::Status DeleteInstance(grpc::ServerContext* context,
                              const google::bigtable::admin::v2::DeleteInstanceRequest* request,
                              google::protobuf::Empty* response) override;
  // The calls in clusters.cc.
  grpc::Status CreateCluster(grpc::ServerContext* context,
                             const google::bigtable::admin::v2::CreateClusterRequest* request,
                             google::longrunning::Operation* response) override;
  grpc::Status GetCluster(grpc::ServerContext* context,
                          const google::bigtable::admin::v2::GetClusterRequest* request,
                          google::bigtable::admin::v2::Cluster* response) override;
  grpc::Status ListClusters(grpc::ServerContext* context,
                            const google::bigtable::admin::v2::ListClustersRequest* request,
                            google::bigtable::admin::v2::ListClustersResponse* response) override;
  grpc::Status UpdateCluster(grpc::ServerContext* context,
                             const google::bigtable::admin::v2::Cluster* request,
                             google::longrunning::Operation* response) override;
  grpc::Status PartialUpdateCluster(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::PartialUpdateClusterRequest* request,
      google::longrunning::Operation* response) override;
  grpc::Status DeleteCluster(grpc::ServerContext* context,
                             const google::bigtable::admin::v2::DeleteClusterRequest* request,
                             google::protobuf::Empty* response) override;
  // The calls in app_profiles.cc.
  grpc::Status CreateAppProfile(grpc::ServerContext* context,
                                const google::bigtable::admin::v2::CreateAppProfileRequest* request,
                                google::bigtable::admin::v2::AppProfile* response) override;
  grpc::Status GetAppProfile(grpc::ServerContext* context,
                             const google::bigtable::admin::v2::GetAppProfileRequest* request,
                             google::bigtable::admin::v2::AppProfile* response) override;
  grpc::Status ListAppProfiles(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::ListAppProfilesRequest* request,
      google::bigtable::admin::v2::ListAppProfilesResponse* response) override;
  grpc::Status UpdateAppProfile(grpc::ServerContext* context,
                                const google::bigtable::admin::v2::UpdateAppProfileRequest* request,
                                google::longrunning::Operation* response) override;
  grpc::Status DeleteAppProfile(grpc::ServerContext* context,
                                const google::bigtable::admin::v2::DeleteAppProfileRequest* request,
                                google::protobuf::Empty* response) override;
  // The call in hot_tablets.cc.
  grpc::Status ListHotTablets(
      grpc::ServerContext* context,
      const google::bigtable::admin::v2::ListHotTabletsRequest* request,
      google::bigtable::admin::v2::ListHotTabletsResponse* response) override;
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

 private:
  int64_t NowSeconds() { return records_->client()->clock()->NowMicros() / 1'000'000; }
  const InstanceRecords* records_;
  OperationsService* operations_;
};

}  // namespace sippar::cluster
