// The calls of InstanceAdminService for clusters. One store serves all clusters of an instance, so
// they are stored and returned, but their sizes have no effect.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/bigtable/backup_names.h"
#include "cluster/bigtable/instance_admin_service.h"
#include "cluster/bigtable/message_records.h"
#include "cluster/grpc/status_codes.h"

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;
using google::protobuf::FieldMask;

std::string RecordOf(const PartName& name) { return PartRecord("cluster", name.instance, name.id); }

// Changes the record of a cluster, or creates it. `change` gets a null record and an empty message
// if there is none.
StatusOr<admin::Cluster> Change(
    const InstanceRecords& records, const PartName& name,
    const std::function<Status(const NamedRecord* record, admin::Cluster* cluster)>& change) {
  admin::Cluster kept;
  Status changed = ChangeRecord(records.admin(), RecordOf(name), &kept,
                                [&](const NamedRecord* record) -> Status {
                                  RETURN_IF_ERROR(change(record, &kept));
                                  kept.clear_name();
                                  kept.set_state(admin::Cluster::READY);
                                  return OkStatus();
                                });
  RETURN_IF_ERROR(changed);
  return records.GetCluster(name);
}

StatusOr<admin::Cluster> DoCreate(const InstanceRecords& records,
                                  const admin::CreateClusterRequest& request) {
  ASSIGN_OR_RETURN(
      PartName name,
      PartName::Parse(request.parent() + "/clusters/" + request.cluster_id(), "clusters"));
  ASSIGN_OR_RETURN(std::vector<admin::Cluster> present, records.Clusters(name.instance));
  for (const admin::Cluster& cluster : present) {
    ASSIGN_OR_RETURN(PartName other, PartName::Parse(cluster.name(), "clusters"));
    if (other.id == name.id) {
      return AlreadyExists(fmt::format("{} already exists", cluster.name()));
    }
    // Stores a record of the implied cluster, which is the only one. An instance with a created
    // cluster has no implied cluster, so the backups and profiles of the implied cluster would
    // otherwise name no cluster. A record that exists stays as it is: it may be newer than
    // `present`.
    if (present.size() > 1 || other.id != kImpliedClusterId) continue;
    RETURN_IF_ERROR(Change(records, other, [&](const NamedRecord* record, admin::Cluster* kept) {
                      if (record == nullptr) *kept = cluster;
                      return OkStatus();
                    }).status());
  }
  return Change(records, name, [&](const NamedRecord* record, admin::Cluster* kept) -> Status {
    if (record != nullptr) {
      return AlreadyExists(fmt::format("{}/clusters/{} already exists", request.parent(), name.id));
    }
    *kept = request.cluster();
    return OkStatus();
  });
}

StatusOr<admin::Cluster> DoUpdate(const InstanceRecords& records, const admin::Cluster& wanted,
                                  const FieldMask& mask) {
  if (mask.paths().empty()) return InvalidArgument("update_mask: name at least one field");
  ASSIGN_OR_RETURN(PartName name, PartName::Parse(wanted.name(), "clusters"));
  return Change(records, name, [&](const NamedRecord*, admin::Cluster* kept) -> Status {
    ASSIGN_OR_RETURN(*kept, records.GetCluster(name));
    return MergeFields(mask, wanted, kept);
  });
}

Status DoDelete(const InstanceRecords& records, const std::string& cluster) {
  ASSIGN_OR_RETURN(PartName name, PartName::Parse(cluster, "clusters"));
  RETURN_IF_ERROR(records.GetCluster(name).status());
  ASSIGN_OR_RETURN(std::vector<admin::Cluster> present, records.Clusters(name.instance));
  if (present.size() == 1) {
    return FailedPrecondition(fmt::format(
        "{} is the last cluster of its instance; delete the instance instead", cluster));
  }
  // Backups of the cluster prevent its deletion: no request could name them afterwards.
  RETURN_IF_ERROR(CheckNoBackups(records, name.instance, name.id));
  admin::Cluster kept;
  return DeleteRecord(records.admin(), RecordOf(name), &kept,
                      [](const NamedRecord*) { return OkStatus(); });
}

}  // namespace

grpc::Status InstanceAdminService::CreateCluster(grpc::ServerContext*,
                                                 const admin::CreateClusterRequest* request,
                                                 google::longrunning::Operation* response) {
  admin::CreateClusterMetadata metadata;
  *metadata.mutable_original_request() = *request;
  metadata.mutable_request_time()->set_seconds(NowSeconds());
  auto cluster = DoCreate(*records_, *request);
  if (!cluster.ok()) return ToGrpc(cluster.status());
  metadata.mutable_finish_time()->set_seconds(NowSeconds());
  *response = operations_->Done(cluster->name(), metadata, *cluster);
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::GetCluster(grpc::ServerContext*,
                                              const admin::GetClusterRequest* request,
                                              admin::Cluster* response) {
  auto name = PartName::Parse(request->name(), "clusters");
  if (!name.ok()) return ToGrpc(name.status());
  auto cluster = records_->GetCluster(*name);
  if (cluster.ok()) *response = std::move(*cluster);
  return ToGrpc(cluster.status());
}

grpc::Status InstanceAdminService::ListClusters(grpc::ServerContext*,
                                                const admin::ListClustersRequest* request,
                                                admin::ListClustersResponse* response) {
  auto names = records_->OfParent(request->parent());
  if (!names.ok()) return ToGrpc(names.status());
  for (const InstanceName& name : *names) {
    auto clusters = records_->Clusters(name);
    if (!clusters.ok()) return ToGrpc(clusters.status());
    for (admin::Cluster& cluster : *clusters) *response->add_clusters() = std::move(cluster);
  }
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::UpdateCluster(grpc::ServerContext*,
                                                 const admin::Cluster* request,
                                                 google::longrunning::Operation* response) {
  admin::UpdateClusterMetadata metadata;
  *metadata.mutable_original_request() = *request;
  metadata.mutable_request_time()->set_seconds(NowSeconds());
  // A request of UpdateCluster, which is older than PartialUpdateCluster, has no field mask. It
  // changes only the number of nodes.
  FieldMask mask;
  mask.add_paths("serve_nodes");
  auto cluster = DoUpdate(*records_, *request, mask);
  if (!cluster.ok()) return ToGrpc(cluster.status());
  metadata.mutable_finish_time()->set_seconds(NowSeconds());
  *response = operations_->Done(cluster->name(), metadata, *cluster);
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::PartialUpdateCluster(
    grpc::ServerContext*, const admin::PartialUpdateClusterRequest* request,
    google::longrunning::Operation* response) {
  admin::PartialUpdateClusterMetadata metadata;
  *metadata.mutable_original_request() = *request;
  metadata.mutable_request_time()->set_seconds(NowSeconds());
  auto cluster = DoUpdate(*records_, request->cluster(), request->update_mask());
  if (!cluster.ok()) return ToGrpc(cluster.status());
  metadata.mutable_finish_time()->set_seconds(NowSeconds());
  *response = operations_->Done(cluster->name(), metadata, *cluster);
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::DeleteCluster(grpc::ServerContext*,
                                                 const admin::DeleteClusterRequest* request,
                                                 google::protobuf::Empty*) {
  return ToGrpc(DoDelete(*records_, request->name()));
}

}  // namespace sippar::cluster
