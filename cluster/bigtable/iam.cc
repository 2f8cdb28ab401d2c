// IAM policies, and the calls of both admin services for them.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/iam.h"

#include <fmt/format.h>

#include "cluster/bigtable/find_table.h"
#include "cluster/bigtable/instance_admin_service.h"
#include "cluster/bigtable/message_records.h"
#include "cluster/bigtable/table_admin_service.h"
#include "cluster/grpc/status_codes.h"

namespace sippar::cluster {
namespace {

namespace iam = google::iam::v1;

// The etag of the empty policy that a resource has until one is set.
constexpr const char* kNoPolicyEtag = "none";

Status ReadPolicy(AdminApi* api, const std::string& name, iam::Policy* out) {
  auto record = api->Do(calls::GetRecord{name});
  if (record.status().code() == StatusCode::kNotFound) {
    out->set_etag(kNoPolicyEtag);
    return OkStatus();
  }
  RETURN_IF_ERROR(record.status());
  RETURN_IF_ERROR(ParseRecord(*record, out));
  out->set_etag(EtagOf(*record));
  return OkStatus();
}

// The name of the record with the policy of a part of a table. kNotFound: the part itself has no
// record, so it does not exist.
StatusOr<std::string> PartPolicy(const InstanceRecords& records, const std::string& resource,
                                 const char* kind, const char* record_kind) {
  ASSIGN_OR_RETURN(TablePartName name, TablePartName::Parse(resource, kind));
  ASSIGN_OR_RETURN(FoundTable table, FindTable(records.client(), name.table.ToString()));
  std::string record = TablePartRecord(record_kind, table.info.table_id, name.id);
  Status there = records.admin()->Do(calls::GetRecord{record}).status();
  if (there.code() == StatusCode::kNotFound) {
    return NotFound(fmt::format("'{}' not found", resource));
  }
  RETURN_IF_ERROR(there);
  return "iam/" + record;
}

}  // namespace

StatusOr<std::string> PolicyRecord(const InstanceRecords& records, const std::string& resource) {
  if (resource.find("/authorizedViews/") != std::string::npos) {
    return PartPolicy(records, resource, "authorizedViews", "view");
  }
  if (resource.find("/schemaBundles/") != std::string::npos) {
    return PartPolicy(records, resource, "schemaBundles", "bundle");
  }
  if (resource.find("/tables/") != std::string::npos) {
    ASSIGN_OR_RETURN(FoundTable table, FindTable(records.client(), resource));
    return fmt::format("iam/table/{}", table.info.table_id);
  }
  if (size_t clusters = resource.find("/clusters/"); clusters != std::string::npos) {
    if (resource.find("/backups/", clusters) == std::string::npos) {
      return InvalidArgument(fmt::format(
          "'{}' cannot have a policy; name the instance, or one of its tables or backups",
          resource));
    }
    // Only the instance is checked: whether the backup itself exists is not looked up.
    ASSIGN_OR_RETURN(InstanceName name, InstanceName::Parse(resource.substr(0, clusters)));
    RETURN_IF_ERROR(records.CheckExists(name));
    return "iam/backup/" + resource;
  }
  ASSIGN_OR_RETURN(InstanceName name, InstanceName::Parse(resource));
  RETURN_IF_ERROR(records.CheckExists(name));
  return "iam/" + InstanceRecord(name);
}

Status GetPolicy(const InstanceRecords& records, const iam::GetIamPolicyRequest& request,
                 iam::Policy* response) {
  ASSIGN_OR_RETURN(std::string name, PolicyRecord(records, request.resource()));
  return ReadPolicy(records.admin(), name, response);
}

Status SetPolicy(const InstanceRecords& records, const iam::SetIamPolicyRequest& request,
                 iam::Policy* response) {
  ASSIGN_OR_RETURN(std::string name, PolicyRecord(records, request.resource()));
  const iam::Policy& wanted = request.policy();
  iam::Policy kept;
  Status changed =
      ChangeRecord(records.admin(), name, &kept, [&](const NamedRecord* record) -> Status {
        // While no policy is stored, clients read the etag kNoPolicyEtag and send it back with the
        // first policy. No record has this etag.
        bool is_first = record == nullptr && wanted.etag() == kNoPolicyEtag;
        if (!is_first) {
          RETURN_IF_ERROR(CheckEtag("policy of " + request.resource(), wanted.etag(), record));
        }
        kept = wanted;
        kept.clear_etag();
        return OkStatus();
      });
  RETURN_IF_ERROR(changed);
  return ReadPolicy(records.admin(), name, response);
}

Status TestPermissions(const InstanceRecords& records,
                       const iam::TestIamPermissionsRequest& request,
                       iam::TestIamPermissionsResponse* response) {
  RETURN_IF_ERROR(PolicyRecord(records, request.resource()).status());
  for (const std::string& permission : request.permissions()) {
    if (permission.find('*') != std::string::npos) {
      return InvalidArgument(
          fmt::format("permission '{}' contains a '*'; name each permission in full", permission));
    }
    response->add_permissions(permission);
  }
  return OkStatus();
}

grpc::Status InstanceAdminService::GetIamPolicy(grpc::ServerContext*,
                                                const iam::GetIamPolicyRequest* request,
                                                iam::Policy* response) {
  return ToGrpc(GetPolicy(*records_, *request, response));
}

grpc::Status InstanceAdminService::SetIamPolicy(grpc::ServerContext*,
                                                const iam::SetIamPolicyRequest* request,
                                                iam::Policy* response) {
  return ToGrpc(SetPolicy(*records_, *request, response));
}

grpc::Status InstanceAdminService::TestIamPermissions(grpc::ServerContext*,
                                                      const iam::TestIamPermissionsRequest* request,
                                                      iam::TestIamPermissionsResponse* response) {
  return ToGrpc(TestPermissions(*records_, *request, response));
}

grpc::Status TableAdminService::GetIamPolicy(grpc::ServerContext*,
                                             const iam::GetIamPolicyRequest* request,
                                             iam::Policy* response) {
  return ToGrpc(GetPolicy(*records_, *request, response));
}

grpc::Status TableAdminService::SetIamPolicy(grpc::ServerContext*,
                                             const iam::SetIamPolicyRequest* request,
                                             iam::Policy* response) {
  return ToGrpc(SetPolicy(*records_, *request, response));
}

grpc::Status TableAdminService::TestIamPermissions(grpc::ServerContext*,
                                                   const iam::TestIamPermissionsRequest* request,
                                                   iam::TestIamPermissionsResponse* response) {
  return ToGrpc(TestPermissions(*records_, *request, response));
}

}  // namespace sippar::cluster
