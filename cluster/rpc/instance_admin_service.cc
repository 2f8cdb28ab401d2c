// Instances. SPDX-License-Identifier: Apache-2.0
#include "cluster/rpc/instance_admin_service.h"

#include <fmt/format.h>

#include <set>

#include "cluster/rpc/resource_names.h"
#include "cluster/rpc/schema_convert.h"
#include "cluster/rpc/status_codes.h"
#include "engine/model/table_name.h"

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;

constexpr const char* kProfileId = "default";

void FillInstance(const InstanceName& name, admin::Instance* out) {
  out->set_name(name.ToString());
  out->set_display_name(name.instance);
  out->set_state(admin::Instance::READY);
  out->set_type(admin::Instance::PRODUCTION);
}

void FillCluster(const InstanceName& name, admin::Cluster* out) {
  out->set_name(fmt::format("{}/clusters/{}", name.ToString(), kClusterId));
  out->set_location(fmt::format("projects/{}/locations/local", name.project));
  out->set_state(admin::Cluster::READY);
  out->set_serve_nodes(1);
  out->set_default_storage_type(admin::SSD);
}

void FillProfile(const InstanceName& name, admin::AppProfile* out) {
  out->set_name(fmt::format("{}/appProfiles/{}", name.ToString(), kProfileId));
  out->set_description("the one there is");
  out->mutable_single_cluster_routing()->set_cluster_id(kClusterId);
  out->mutable_single_cluster_routing()->set_allow_transactional_writes(true);
}

// The part `name` names, which must be the one every instance has.
StatusOr<InstanceName> OnlyPart(const std::string& name, const char* kind, const char* id) {
  ASSIGN_OR_RETURN(PartName part, PartName::Parse(name, kind));
  if (part.id != id) {
    return NotFound(fmt::format("'{}' is not there; {} of every instance: '{}'", name, kind, id));
  }
  return part.instance;
}

// A parent whose instance may be "-", for all of them.
StatusOr<std::vector<InstanceName>> InstancesOf(Client* client, const std::string& parent) {
  if (!parent.ends_with("/instances/-")) {
    ASSIGN_OR_RETURN(InstanceName name, InstanceName::Parse(parent));
    return std::vector<InstanceName>{name};
  }
  constexpr std::string_view kHead = "projects/", kTail = "/instances/-";
  std::string project = parent.substr(std::min(kHead.size(), parent.size()));
  project.resize(project.size() - std::min(kTail.size(), project.size()));
  RETURN_IF_ERROR(engine::ValidateProjectName(project));
  ASSIGN_OR_RETURN(std::vector<TableInfo> tables, client->admin()->ListTables());
  std::set<std::string> ids;
  for (const TableInfo& table : tables) {
    auto name = TableName::FromStored(table.schema.name);
    if (name.ok() && name->instance.project == project) ids.insert(name->instance.instance);
  }
  std::vector<InstanceName> names;
  for (const std::string& id : ids) names.push_back({project, id});
  return names;
}

}  // namespace

grpc::Status InstanceAdminService::GetInstance(grpc::ServerContext*,
                                               const admin::GetInstanceRequest* request,
                                               admin::Instance* response) {
  auto name = InstanceName::Parse(request->name());
  if (name.ok()) FillInstance(*name, response);
  return ToGrpc(name.status());
}

grpc::Status InstanceAdminService::ListInstances(grpc::ServerContext*,
                                                 const admin::ListInstancesRequest* request,
                                                 admin::ListInstancesResponse* response) {
  auto names = InstancesOf(client_, request->parent() + "/instances/-");
  if (!names.ok()) return ToGrpc(names.status());
  for (const InstanceName& name : *names) FillInstance(name, response->add_instances());
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::GetCluster(grpc::ServerContext*,
                                              const admin::GetClusterRequest* request,
                                              admin::Cluster* response) {
  auto name = OnlyPart(request->name(), "clusters", kClusterId);
  if (name.ok()) FillCluster(*name, response);
  return ToGrpc(name.status());
}

grpc::Status InstanceAdminService::ListClusters(grpc::ServerContext*,
                                                const admin::ListClustersRequest* request,
                                                admin::ListClustersResponse* response) {
  auto names = InstancesOf(client_, request->parent());
  if (!names.ok()) return ToGrpc(names.status());
  for (const InstanceName& name : *names) FillCluster(name, response->add_clusters());
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::GetAppProfile(grpc::ServerContext*,
                                                 const admin::GetAppProfileRequest* request,
                                                 admin::AppProfile* response) {
  auto name = OnlyPart(request->name(), "appProfiles", kProfileId);
  if (name.ok()) FillProfile(*name, response);
  return ToGrpc(name.status());
}

grpc::Status InstanceAdminService::ListAppProfiles(grpc::ServerContext*,
                                                   const admin::ListAppProfilesRequest* request,
                                                   admin::ListAppProfilesResponse* response) {
  auto names = InstancesOf(client_, request->parent());
  if (!names.ok()) return ToGrpc(names.status());
  for (const InstanceName& name : *names) FillProfile(name, response->add_app_profiles());
  return grpc::Status::OK;
}

}  // namespace sippar::cluster
