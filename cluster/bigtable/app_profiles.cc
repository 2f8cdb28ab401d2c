// The calls of InstanceAdminService for app profiles.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/bigtable/instance_admin_service.h"
#include "cluster/bigtable/message_records.h"
#include "cluster/grpc/status_codes.h"

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;

std::string RecordOf(const PartName& name) { return PartRecord("profile", name.instance, name.id); }

// The profile may route only to existing clusters. An instance without created clusters is not
// checked: its one cluster is implied, and requests may call it by any name.
Status CheckRouting(const InstanceRecords& records, const InstanceName& name,
                    const admin::AppProfile& profile) {
  if (profile.routing_policy_case() == admin::AppProfile::ROUTING_POLICY_NOT_SET) {
    return InvalidArgument(
        "app_profile has neither multi_cluster_routing_use_any nor single_cluster_routing");
  }
  ASSIGN_OR_RETURN(std::vector<NamedRecord> made,
                   records.admin()->Do(calls::ListRecords{PartRecord("cluster", name, "")}));
  std::vector<std::string> ids(profile.multi_cluster_routing_use_any().cluster_ids().begin(),
                               profile.multi_cluster_routing_use_any().cluster_ids().end());
  if (profile.has_single_cluster_routing()) {
    if (profile.single_cluster_routing().cluster_id().empty()) {
      return InvalidArgument("single_cluster_routing: cluster_id is missing");
    }
    ids.push_back(profile.single_cluster_routing().cluster_id());
  }
  if (made.empty()) return OkStatus();
  for (const std::string& id : ids) RETURN_IF_ERROR(records.GetCluster({name, id}).status());
  return OkStatus();
}

StatusOr<admin::AppProfile> DoCreate(const InstanceRecords& records,
                                     const admin::CreateAppProfileRequest& request) {
  ASSIGN_OR_RETURN(PartName name,
                   PartName::Parse(request.parent() + "/appProfiles/" + request.app_profile_id(),
                                   "appProfiles"));
  RETURN_IF_ERROR(records.CheckExists(name.instance));
  RETURN_IF_ERROR(CheckRouting(records, name.instance, request.app_profile()));
  admin::AppProfile kept;
  RETURN_IF_ERROR(ChangeRecord(
      records.admin(), RecordOf(name), &kept, [&](const NamedRecord* record) -> Status {
        if (record != nullptr) {
          return AlreadyExists(fmt::format("app profile {} already exists", name.id));
        }
        // Name and etag are not stored: they follow from the name and the bytes of the record.
        kept = request.app_profile();
        kept.clear_name();
        kept.clear_etag();
        return OkStatus();
      }));
  return records.GetProfile(name);
}

StatusOr<admin::AppProfile> DoUpdate(const InstanceRecords& records,
                                     const admin::UpdateAppProfileRequest& request) {
  const admin::AppProfile& wanted = request.app_profile();
  if (request.update_mask().paths().empty()) {
    return InvalidArgument("update_mask: name at least one field");
  }
  ASSIGN_OR_RETURN(PartName name, PartName::Parse(wanted.name(), "appProfiles"));
  admin::AppProfile kept;
  Status changed = ChangeRecord(
      records.admin(), RecordOf(name), &kept, [&](const NamedRecord* record) -> Status {
        RETURN_IF_ERROR(CheckEtag(wanted.name(), wanted.etag(), record));
        // Starts from GetProfile, not from the record: the default profile may have no record yet.
        ASSIGN_OR_RETURN(kept, records.GetProfile(name));
        RETURN_IF_ERROR(MergeFields(request.update_mask(), wanted, &kept));
        kept.clear_name();
        kept.clear_etag();
        return CheckRouting(records, name.instance, kept);
      });
  RETURN_IF_ERROR(changed);
  return records.GetProfile(name);
}

Status DoDelete(const InstanceRecords& records, const std::string& profile) {
  ASSIGN_OR_RETURN(PartName name, PartName::Parse(profile, "appProfiles"));
  admin::AppProfile kept;
  return DeleteRecord(
      records.admin(), RecordOf(name), &kept, [&](const NamedRecord* record) -> Status {
        if (record != nullptr) return OkStatus();
        if (name.id != kDefaultProfileId) {
          return NotFound(fmt::format("app profile '{}' not found", profile));
        }
        return FailedPrecondition("app profile 'default' cannot be deleted: every instance has it");
      });
}

}  // namespace

grpc::Status InstanceAdminService::CreateAppProfile(grpc::ServerContext*,
                                                    const admin::CreateAppProfileRequest* request,
                                                    admin::AppProfile* response) {
  auto profile = DoCreate(*records_, *request);
  if (profile.ok()) *response = std::move(*profile);
  return ToGrpc(profile.status());
}

grpc::Status InstanceAdminService::GetAppProfile(grpc::ServerContext*,
                                                 const admin::GetAppProfileRequest* request,
                                                 admin::AppProfile* response) {
  auto name = PartName::Parse(request->name(), "appProfiles");
  if (!name.ok()) return ToGrpc(name.status());
  auto profile = records_->GetProfile(*name);
  if (profile.ok()) *response = std::move(*profile);
  return ToGrpc(profile.status());
}

grpc::Status InstanceAdminService::ListAppProfiles(grpc::ServerContext*,
                                                   const admin::ListAppProfilesRequest* request,
                                                   admin::ListAppProfilesResponse* response) {
  auto page = Page::Of(request->page_size(), request->page_token());
  if (!page.ok()) return ToGrpc(page.status());
  auto names = records_->OfParent(request->parent());
  if (!names.ok()) return ToGrpc(names.status());
  for (const InstanceName& name : *names) {
    auto profiles = records_->Profiles(name);
    if (!profiles.ok()) return ToGrpc(profiles.status());
    for (admin::AppProfile& profile : *profiles) {
      if (profile.name() <= page->after) continue;
      if (static_cast<size_t>(response->app_profiles_size()) == page->size) {
        response->set_next_page_token(
            response->app_profiles(response->app_profiles_size() - 1).name());
        return grpc::Status::OK;
      }
      *response->add_app_profiles() = std::move(profile);
    }
  }
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::UpdateAppProfile(grpc::ServerContext*,
                                                    const admin::UpdateAppProfileRequest* request,
                                                    google::longrunning::Operation* response) {
  auto profile = DoUpdate(*records_, *request);
  if (!profile.ok()) return ToGrpc(profile.status());
  *response = operations_->Done(profile->name(), admin::UpdateAppProfileMetadata(), *profile);
  return grpc::Status::OK;
}

grpc::Status InstanceAdminService::DeleteAppProfile(grpc::ServerContext*,
                                                    const admin::DeleteAppProfileRequest* request,
                                                    google::protobuf::Empty*) {
  return ToGrpc(DoDelete(*records_, request->name()));
}

}  // namespace sippar::cluster
