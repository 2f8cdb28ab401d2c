// The calls of InstanceAdminService for instances.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cluster/bigtable/authorized_views.h"
#include "cluster/bigtable/backup_names.h"
#include "cluster/bigtable/instance_admin_service.h"
#include "cluster/bigtable/message_records.h"
#include "cluster/grpc/status_codes.h"
#include "engine/model/schema_change.h"

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;
using google::protobuf::FieldMask;

StatusOr<InstanceName> DoCreate(const InstanceRecords& records,
                                const admin::CreateInstanceRequest& request, int64_t now_s) {
  ASSIGN_OR_RETURN(InstanceName name,
                   InstanceName::Parse(request.parent() + "/instances/" + request.instance_id()));
  if (request.clusters().empty()) return InvalidArgument("clusters: at least one is needed");
  if (records.admin()->Do(calls::GetRecord{InstanceRecord(name)}).ok()) {
    return AlreadyExists(fmt::format("{} already exists", name.ToString()));
  }
  // The clusters are written first, so that an instance never exists without them. A crash here
  // leaves clusters without an instance, which a repeated call overwrites.
  for (const auto& [id, wanted] : request.clusters()) {
    ASSIGN_OR_RETURN(PartName part,
                     PartName::Parse(name.ToString() + "/clusters/" + id, "clusters"));
    admin::Cluster cluster;
    RETURN_IF_ERROR(ChangeRecord(records.admin(), PartRecord("cluster", name, part.id), &cluster,
                                 [&cluster, &made = wanted](const NamedRecord*) {
                                   cluster = made;
                                   cluster.clear_name();
                                   cluster.set_state(admin::Cluster::READY);
                                   return OkStatus();
                                 }));
  }
  admin::Instance instance;
  RETURN_IF_ERROR(ChangeRecord(
      records.admin(), InstanceRecord(name), &instance, [&](const NamedRecord* record) -> Status {
        if (record != nullptr) {
          return AlreadyExists(fmt::format("{} already exists", name.ToString()));
        }
        instance = request.instance();
        instance.clear_name();
        instance.set_state(admin::Instance::READY);
        instance.mutable_create_time()->set_seconds(now_s);
        if (instance.type() == admin::Instance::TYPE_UNSPECIFIED) {
          instance.set_type(admin::Instance::PRODUCTION);
        }
        return OkStatus();
      }));
  return name;
}

Status CheckMask(const FieldMask& mask) {
  if (mask.paths().empty()) return InvalidArgument("update_mask: name at least one field");
  for (const std::string& path : mask.paths()) {
    if (path == "display_name" || path == "type" || path == "labels" || path == "edition" ||
        path == "tags") {
      continue;
    }
    return InvalidArgument(fmt::format(
        "update_mask names '{}'; only display_name, type, labels, edition and tags can be changed",
        path));
  }
  return OkStatus();
}

StatusOr<admin::Instance> DoUpdate(const InstanceRecords& records, const admin::Instance& wanted,
                                   const FieldMask& mask) {
  ASSIGN_OR_RETURN(InstanceName name, InstanceName::Parse(wanted.name()));
  RETURN_IF_ERROR(CheckMask(mask));
  admin::Instance kept;
  Status changed =
      ChangeRecord(records.admin(), InstanceRecord(name), &kept, [&](const NamedRecord*) -> Status {
        ASSIGN_OR_RETURN(kept, records.Get(name));
        kept.clear_name();
        return MergeFields(mask, wanted, &kept);
      });
  RETURN_IF_ERROR(changed);
  return records.Get(name);
}

// Deletes an instance with its tables, unless a table or a view is protected or backups exist. All
// checks come before the first deletion. A deletion that a crash has interrupted can be repeated
// while the instance's record exists; after that, only its records of clusters and its policy may
// be left. Views, bundles and policies of the dropped tables stay: no call finds them.
Status DoDelete(const InstanceRecords& records, const std::string& instance) {
  AdminApi* api = records.admin();
  ASSIGN_OR_RETURN(InstanceName name, InstanceName::Parse(instance));
  RETURN_IF_ERROR(records.CheckExists(name));
  ASSIGN_OR_RETURN(std::vector<TableInfo> tables, api->Do(calls::ListTables{}));
  std::erase_if(tables, [&name](const TableInfo& table) {
    auto of = TableName::FromStored(table.schema.name);
    return !of.ok() || of->instance != name;
  });
  for (const TableInfo& table : tables) {
    if (engine::IsProtected(table.schema)) {
      return FailedPrecondition(
          fmt::format("table {} is protected from deletion, and so is its instance; first set the "
                      "table's deletion_protection to false",
                      table.schema.name));
    }
    RETURN_IF_ERROR(
        Annotate(CheckNoProtectedView(api, table.table_id), "table " + table.schema.name));
  }
  RETURN_IF_ERROR(CheckNoBackups(records, name, ""));
  for (const TableInfo& table : tables)
    RETURN_IF_ERROR(api->Do(calls::DropTable{table.schema.name}));
  RETURN_IF_ERROR(DropRecords(api, PartRecord("profile", name, "")));
  RETURN_IF_ERROR(DropRecord(api, InstanceRecord(name)));
  RETURN_IF_ERROR(DropRecords(api, PartRecord("cluster", name, "")));
  return DropRecord(api, "iam/" + InstanceRecord(name));
}

}  // namespace

grpc::Status InstanceAdminService::CreateInstance(grpc::ServerContext*,
                                                  const admin::CreateInstanceRequest* request,
                                                  google::longrunning::Operation* response) {
  admin::CreateInstanceMetadata metadata;
  *metadata.mutable_original_request() = *request;
  metadata.mutable_request_time()->set_seconds(NowSeconds());
  auto name = DoCreate(*records_, *request, NowSeconds());
  if (!name.ok()) return ToGrpc(name.status());
  auto instance = records_->Get(*name);
  if (!instance.ok()) return ToGrpc(instance.status());
  metadata.mutable_finish_time()->set_seconds(NowSeconds());
  *response = operations_->Done(instance->name(), metadata, *instance);
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::GetInstance(grpc::ServerContext*,
                                               const admin::GetInstanceRequest* request,
                                               admin::Instance* response) {
  auto name = InstanceName::Parse(request->name());
  if (!name.ok()) return ToGrpc(name.status());
  auto instance = records_->Get(*name);
  if (instance.ok()) *response = std::move(*instance);
  return ToGrpc(instance.status());
}

grpc::Status InstanceAdminService::ListInstances(grpc::ServerContext*,
                                                 const admin::ListInstancesRequest* request,
                                                 admin::ListInstancesResponse* response) {
  auto names = records_->OfParent(request->parent() + "/instances/-");
  if (!names.ok()) return ToGrpc(names.status());
  for (const InstanceName& name : *names) {
    auto instance = records_->Get(name);
    // On a strict server an instance may have tables without having been created; it is left out.
    if (instance.ok()) *response->add_instances() = std::move(*instance);
  }
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::UpdateInstance(grpc::ServerContext*,
                                                  const admin::Instance* request,
                                                  admin::Instance* response) {
  // A request of UpdateInstance, which is older than PartialUpdateInstance, has no field mask. It
  // replaces all three fields that a client may change with this method.
  FieldMask mask;
  for (const char* path : {"display_name", "type", "labels"}) mask.add_paths(path);
  auto updated = DoUpdate(*records_, *request, mask);
  if (updated.ok()) *response = std::move(*updated);
  return ToGrpc(updated.status());
}

grpc::Status InstanceAdminService::PartialUpdateInstance(
    grpc::ServerContext*, const admin::PartialUpdateInstanceRequest* request,
    google::longrunning::Operation* response) {
  admin::UpdateInstanceMetadata metadata;
  *metadata.mutable_original_request() = *request;
  metadata.mutable_request_time()->set_seconds(NowSeconds());
  auto updated = DoUpdate(*records_, request->instance(), request->update_mask());
  if (!updated.ok()) return ToGrpc(updated.status());
  metadata.mutable_finish_time()->set_seconds(NowSeconds());
  *response = operations_->Done(updated->name(), metadata, *updated);
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::DeleteInstance(grpc::ServerContext*,
                                                  const admin::DeleteInstanceRequest* request,
                                                  google::protobuf::Empty*) {
  return ToGrpc(DoDelete(*records_, request->name()));
}

}  // namespace sippar::cluster
