// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/backup_names.h"

#include <fmt/format.h>

#include "engine/model/schema.h"

namespace sippar::cluster {
namespace {

constexpr std::string_view kBackups = "/backups/";

// Backup ids follow the rules of table ids. A '/' is refused here, because ValidateTableName allows
// it in a name in the store (PROJECT/INSTANCE/TABLE), and it would make the backup's stored name
// ambiguous.
StatusOr<BackupName> NameOf(const std::string& parent, const std::string& id) {
  ASSIGN_OR_RETURN(PartName cluster, PartName::Parse(parent, "clusters"));
  Status valid = id.find('/') == std::string::npos ? engine::ValidateTableName(id)
                                                   : InvalidArgument("a '/' is not allowed");
  if (!valid.ok()) {
    return Annotate(
        valid, fmt::format("backup id '{}' (the rules of table names apply)", id.substr(0, 100)));
  }
  return BackupName{std::move(cluster), id};
}

}  // namespace

StatusOr<BackupName> BackupName::Parse(const std::string& name) {
  size_t at = name.rfind(kBackups);
  if (at != std::string::npos) return NameOf(name.substr(0, at), name.substr(at + kBackups.size()));
  return InvalidArgument(
      fmt::format("backup name '{}' is not of the form "
                  "projects/PROJECT/instances/INSTANCE/clusters/CLUSTER/backups/BACKUP",
                  name.substr(0, 200)));
}

StatusOr<BackupName> BackupName::OfNew(const InstanceRecords& records, const std::string& parent,
                                       const std::string& id) {
  ASSIGN_OR_RETURN(BackupName name, NameOf(parent, id));
  RETURN_IF_ERROR(records.GetCluster(name.cluster).status());
  return name;
}

BackupName BackupName::FromStored(const std::string& stored) {
  size_t project = stored.find('/'), instance = stored.find('/', project + 1);
  size_t cluster = stored.rfind('/');
  InstanceName name{stored.substr(0, project), stored.substr(project + 1, instance - project - 1)};
  std::string cluster_id =
      cluster == instance ? kImpliedClusterId : stored.substr(instance + 1, cluster - instance - 1);
  return {{std::move(name), std::move(cluster_id)}, stored.substr(cluster + 1)};
}

std::string BackupName::stored() const {
  const std::string head = cluster.instance.project + "/" + cluster.instance.instance + "/";
  return cluster.id == kImpliedClusterId ? head + id : head + cluster.id + "/" + id;
}

std::string BackupName::ToString() const {
  return fmt::format("{}/clusters/{}/backups/{}", cluster.instance.ToString(), cluster.id, id);
}

Status CheckNoBackups(const InstanceRecords& records, const InstanceName& instance,
                      const std::string& cluster_id) {
  ASSIGN_OR_RETURN(std::vector<BackupInfo> all, records.admin()->Do(calls::ListBackups{}));
  for (const BackupInfo& info : all) {
    BackupName name = BackupName::FromStored(info.name);
    bool is_of_cluster = cluster_id.empty() || name.cluster.id == cluster_id;
    if (!(name.cluster.instance == instance) || !is_of_cluster) continue;
    return FailedPrecondition(fmt::format("{} has the backup {}; delete its backups first",
                                          cluster_id.empty() ? "the instance" : "the cluster",
                                          name.ToString()));
  }
  return OkStatus();
}

}  // namespace sippar::cluster
