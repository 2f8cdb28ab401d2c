// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/instance_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cluster/bigtable/message_records.h"
#include "engine/model/table_name.h"

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;

admin::Instance ImpliedInstance(const InstanceName& name) {
  admin::Instance instance;
  instance.set_name(name.ToString());
  instance.set_display_name(name.instance);
  instance.set_state(admin::Instance::READY);
  instance.set_type(admin::Instance::PRODUCTION);
  return instance;
}

admin::Cluster ImpliedCluster(const InstanceName& name) {
  admin::Cluster cluster;
  cluster.set_name(fmt::format("{}/clusters/{}", name.ToString(), kImpliedClusterId));
  cluster.set_location(fmt::format("projects/{}/locations/local", name.project));
  cluster.set_state(admin::Cluster::READY);
  cluster.set_serve_nodes(1);
  cluster.set_default_storage_type(admin::SSD);
  return cluster;
}

admin::AppProfile ImpliedProfile(const InstanceName& name, const std::string& cluster_id) {
  admin::AppProfile profile;
  profile.set_name(fmt::format("{}/appProfiles/{}", name.ToString(), kDefaultProfileId));
  profile.set_description("the one there is from the beginning");
  profile.mutable_standard_isolation()->set_priority(admin::AppProfile::PRIORITY_HIGH);
  profile.mutable_single_cluster_routing()->set_cluster_id(cluster_id);
  profile.mutable_single_cluster_routing()->set_allow_transactional_writes(true);
  return profile;
}

// The two functions Complete set the fields that the API returns in addition to those that the
// client has set.
void Complete(const NamedRecord&, admin::Cluster* cluster) {
  if (!cluster->cluster_config().has_cluster_autoscaling_config()) return;
  const admin::AutoscalingLimits& limits =
      cluster->cluster_config().cluster_autoscaling_config().autoscaling_limits();
  // The number of nodes stays at its minimum: this server never adds nodes for load.
  cluster->set_serve_nodes(limits.min_serve_nodes());
}

void Complete(const NamedRecord& record, admin::AppProfile* profile) {
  profile->set_etag(EtagOf(record));
  if (profile->isolation_case() != admin::AppProfile::ISOLATION_NOT_SET) return;
  profile->mutable_standard_isolation()->set_priority(admin::AppProfile::PRIORITY_HIGH);
}

Status Missing(const std::string& name) { return NotFound(fmt::format("'{}' not found", name)); }

// Reads the records of the clusters or app profiles that clients have created in an instance, and
// sets the names in the messages. Sorted by id. Implied clusters and profiles have no record.
template <typename Part>
StatusOr<std::vector<Part>> MadeParts(AdminApi* api, const char* kind, const char* plural,
                                      const InstanceName& name) {
  std::string prefix = PartRecord(kind, name, "");
  ASSIGN_OR_RETURN(std::vector<NamedRecord> records, api->Do(calls::ListRecords{prefix}));
  std::vector<Part> parts(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    RETURN_IF_ERROR(ParseRecord(records[i], &parts[i]));
    parts[i].set_name(
        fmt::format("{}/{}/{}", name.ToString(), plural, records[i].name.substr(prefix.size())));
    Complete(records[i], &parts[i]);
  }
  return parts;
}

template <typename Part>
StatusOr<Part> Named(const StatusOr<std::vector<Part>>& parts, const std::string& name) {
  RETURN_IF_ERROR(parts.status());
  for (const Part& part : *parts) {
    if (part.name() == name) return part;
  }
  return Missing(name);
}

}  // namespace

std::string InstanceRecord(const InstanceName& name) {
  return fmt::format("instance/{}/{}", name.project, name.instance);
}

std::string PartRecord(const char* kind, const InstanceName& name, const std::string& id) {
  return fmt::format("{}/{}/{}/{}", kind, name.project, name.instance, id);
}

Status InstanceRecords::CheckExists(const InstanceName& name) const {
  if (!strict_ || name.IsDefault()) return OkStatus();
  Status status = admin()->Do(calls::GetRecord{InstanceRecord(name)}).status();
  return status.code() == StatusCode::kNotFound ? Missing(name.ToString()) : status;
}

StatusOr<admin::Instance> InstanceRecords::Get(const InstanceName& name) const {
  RETURN_IF_ERROR(CheckExists(name));
  auto record = admin()->Do(calls::GetRecord{InstanceRecord(name)});
  if (record.status().code() == StatusCode::kNotFound) return ImpliedInstance(name);
  RETURN_IF_ERROR(record.status());
  admin::Instance instance;
  RETURN_IF_ERROR(ParseRecord(*record, &instance));
  instance.set_name(name.ToString());
  return instance;
}

StatusOr<std::vector<InstanceName>> InstanceRecords::OfProject(const std::string& project) const {
  RETURN_IF_ERROR(engine::ValidateProjectName(project));
  std::set<std::string> ids;
  std::string prefix = fmt::format("instance/{}/", project);
  ASSIGN_OR_RETURN(std::vector<NamedRecord> records, admin()->Do(calls::ListRecords{prefix}));
  for (const NamedRecord& record : records) ids.insert(record.name.substr(prefix.size()));
  ASSIGN_OR_RETURN(std::vector<TableInfo> tables, admin()->Do(calls::ListTables{}));
  for (const TableInfo& table : tables) {
    auto name = TableName::FromStored(table.schema.name);
    if (name.ok() && name->instance.project == project) ids.insert(name->instance.instance);
  }
  std::vector<InstanceName> names;
  for (const std::string& id : ids) names.push_back({project, id});
  return names;
}

StatusOr<std::vector<InstanceName>> InstanceRecords::OfParent(const std::string& parent) const {
  constexpr std::string_view kHead = "projects/", kTail = "/instances/-";
  if (parent.ends_with(kTail) && parent.starts_with(kHead)) {
    return OfProject(parent.substr(kHead.size(), parent.size() - kHead.size() - kTail.size()));
  }
  ASSIGN_OR_RETURN(InstanceName name, InstanceName::Parse(parent));
  RETURN_IF_ERROR(CheckExists(name));
  return std::vector<InstanceName>{name};
}

StatusOr<std::vector<admin::Cluster>> InstanceRecords::Clusters(const InstanceName& name) const {
  RETURN_IF_ERROR(CheckExists(name));
  auto clusters = MadeParts<admin::Cluster>(admin(), "cluster", "clusters", name);
  if (clusters.ok() && clusters->empty()) clusters->push_back(ImpliedCluster(name));
  return clusters;
}

StatusOr<std::vector<std::string>> InstanceRecords::ClusterIds(const InstanceName& name) const {
  ASSIGN_OR_RETURN(std::vector<admin::Cluster> clusters, Clusters(name));
  std::vector<std::string> ids;
  for (const admin::Cluster& cluster : clusters) {
    ids.push_back(cluster.name().substr(cluster.name().rfind('/') + 1));
  }
  return ids;
}

StatusOr<admin::Cluster> InstanceRecords::GetCluster(const PartName& name) const {
  auto cluster = Named(Clusters(name.instance),
                       fmt::format("{}/clusters/{}", name.instance.ToString(), name.id));
  if (cluster.status().code() != StatusCode::kNotFound) return cluster;
  ASSIGN_OR_RETURN(std::vector<std::string> ids, ClusterIds(name.instance));
  return NotFound(fmt::format("cluster '{}' not found in {} (its clusters: {})", name.id,
                              name.instance.ToString(), fmt::join(ids, ", ")));
}

StatusOr<std::vector<admin::AppProfile>> InstanceRecords::Profiles(const InstanceName& name) const {
  ASSIGN_OR_RETURN(std::vector<std::string> cluster_ids, ClusterIds(name));
  ASSIGN_OR_RETURN(std::vector<admin::AppProfile> profiles,
                   MadeParts<admin::AppProfile>(admin(), "profile", "appProfiles", name));
  admin::AppProfile implied = ImpliedProfile(name, cluster_ids[0]);
  auto at = std::find_if(profiles.begin(), profiles.end(), [&](const admin::AppProfile& profile) {
    return profile.name() >= implied.name();
  });
  // If no default profile was created, the implied one is inserted at its place in the order.
  bool is_made = at != profiles.end() && at->name() == implied.name();
  if (!is_made) profiles.insert(at, std::move(implied));
  return profiles;
}

StatusOr<admin::AppProfile> InstanceRecords::GetProfile(const PartName& name) const {
  return Named(Profiles(name.instance), fmt::format("{}/appProfiles/{}", name.instance.ToString(),
                                                    name.id.empty() ? kDefaultProfileId : name.id));
}

Status InstanceRecords::CheckTransactions(const InstanceName& name,
                                          const std::string& profile_id) const {
  // Reads the one record instead of calling GetProfile: this runs for each batch of calls, and
  // GetProfile would list all clusters and profiles.
  auto record = admin()->Do(calls::GetRecord{
      PartRecord("profile", name, profile_id.empty() ? kDefaultProfileId : profile_id)});
  if (record.status().code() == StatusCode::kNotFound) {
    bool is_implied = !strict_ || profile_id.empty() || profile_id == kDefaultProfileId;
    return is_implied ? OkStatus()
                      : NotFound(fmt::format("app profile '{}' not found in {}", profile_id,
                                             name.ToString()));
  }
  RETURN_IF_ERROR(record.status());
  admin::AppProfile profile;
  RETURN_IF_ERROR(ParseRecord(*record, &profile));
  if (profile.single_cluster_routing().allow_transactional_writes()) return OkStatus();
  return FailedPrecondition(
      fmt::format("Single-row transactions are not allowed by app profile '{}': it needs "
                  "single_cluster_routing with allow_transactional_writes",
                  profile_id.empty() ? kDefaultProfileId : profile_id));
}

}  // namespace sippar::cluster
