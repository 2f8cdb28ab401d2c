// The calls of TableAdminService for schema bundles. A bundle must hold protobuf descriptors; it is
// stored for clients and not used here.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <google/protobuf/descriptor.pb.h>

#include "cluster/bigtable/find_table.h"
#include "cluster/bigtable/message_records.h"
#include "cluster/bigtable/table_admin_service.h"
#include "cluster/grpc/status_codes.h"

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;

constexpr const char* kKind = "schemaBundles";

struct FoundBundle {
  TablePartName name;
  std::string record;
};

// The record's name has the table's id and not its name, so a table that is created again under the
// same name does not get the old bundles.
StatusOr<FoundBundle> Locate(Client* client, TablePartName name) {
  ASSIGN_OR_RETURN(FoundTable table, FindTable(client, name.table.ToString()));
  std::string record = TablePartRecord("bundle", table.info.table_id, name.id);
  return FoundBundle{std::move(name), std::move(record)};
}

StatusOr<FoundBundle> Locate(Client* client, const std::string& name) {
  ASSIGN_OR_RETURN(TablePartName parsed, TablePartName::Parse(name, kKind));
  return Locate(client, std::move(parsed));
}

Status NoBundle(const std::string& name) {
  return NotFound(fmt::format("Schema bundle not found: {}", name));
}

Status CheckBundle(const admin::SchemaBundle& bundle) {
  google::protobuf::FileDescriptorSet files;
  const std::string& bytes = bundle.proto_schema().proto_descriptors();
  if (!bytes.empty() && files.ParseFromString(bytes) && files.file_size() > 0) return OkStatus();
  return InvalidArgument(
      "schema_bundle: proto_schema.proto_descriptors is not a serialized FileDescriptorSet with at "
      "least one file; make it with protoc --include_imports --descriptor_set_out");
}

Status DoGet(Client* client, const std::string& name, admin::SchemaBundle* out) {
  ASSIGN_OR_RETURN(FoundBundle bundle, Locate(client, name));
  auto record = client->admin()->Do(calls::GetRecord{bundle.record});
  if (record.status().code() == StatusCode::kNotFound) return NoBundle(name);
  RETURN_IF_ERROR(record.status());
  RETURN_IF_ERROR(ParseRecord(*record, out));
  out->set_name(bundle.name.ToString());
  out->set_etag(EtagOf(*record));
  return OkStatus();
}

Status DoList(Client* client, const admin::ListSchemaBundlesRequest& request,
              admin::ListSchemaBundlesResponse* response) {
  ASSIGN_OR_RETURN(Page page, Page::Of(request.page_size(), request.page_token()));
  ASSIGN_OR_RETURN(FoundTable table, FindTable(client, request.parent()));
  std::string prefix = TablePartRecord("bundle", table.info.table_id, "");
  ASSIGN_OR_RETURN(std::vector<NamedRecord> records,
                   client->admin()->Do(calls::ListRecords{prefix}));
  std::string last;
  for (const NamedRecord& record : records) {
    std::string id = record.name.substr(prefix.size());
    if (id <= page.after) continue;
    if (static_cast<size_t>(response->schema_bundles_size()) == page.size) {
      response->set_next_page_token(last);
      break;
    }
    admin::SchemaBundle* added = response->add_schema_bundles();
    RETURN_IF_ERROR(ParseRecord(record, added));
    added->set_name(TablePartName{table.name, kKind, id}.ToString());
    added->set_etag(EtagOf(record));
    last = id;
  }
  return OkStatus();
}

StatusOr<std::string> DoCreate(Client* client, const admin::CreateSchemaBundleRequest& request) {
  ASSIGN_OR_RETURN(TablePartName name,
                   TablePartName::Of(request.parent(), kKind, request.schema_bundle_id()));
  ASSIGN_OR_RETURN(FoundBundle bundle, Locate(client, std::move(name)));
  RETURN_IF_ERROR(CheckBundle(request.schema_bundle()));
  admin::SchemaBundle kept;
  RETURN_IF_ERROR(
      ChangeRecord(client->admin(), bundle.record, &kept, [&](const NamedRecord* record) -> Status {
        if (record != nullptr) {
          return AlreadyExists(fmt::format("{} already exists", bundle.name.ToString()));
        }
        // Name and etag are not stored: they follow from the name and the bytes of the record.
        kept = request.schema_bundle();
        kept.clear_name();
        kept.clear_etag();
        return OkStatus();
      }));
  return bundle.name.ToString();
}

Status DoUpdate(Client* client, const admin::UpdateSchemaBundleRequest& request) {
  const admin::SchemaBundle& wanted = request.schema_bundle();
  ASSIGN_OR_RETURN(FoundBundle bundle, Locate(client, wanted.name()));
  admin::SchemaBundle kept;
  return ChangeRecord(client->admin(), bundle.record, &kept,
                      [&](const NamedRecord* record) -> Status {
                        if (record == nullptr) return NoBundle(wanted.name());
                        RETURN_IF_ERROR(CheckEtag(wanted.name(), wanted.etag(), record));
                        RETURN_IF_ERROR(MergeFields(request.update_mask(), wanted, &kept));
                        kept.clear_name();
                        kept.clear_etag();
                        return CheckBundle(kept);
                      });
}

Status DoDelete(Client* client, const admin::DeleteSchemaBundleRequest& request) {
  ASSIGN_OR_RETURN(FoundBundle bundle, Locate(client, request.name()));
  admin::SchemaBundle kept;
  RETURN_IF_ERROR(
      DeleteRecord(client->admin(), bundle.record, &kept, [&](const NamedRecord* record) -> Status {
        if (record == nullptr) return NoBundle(request.name());
        return CheckEtag(request.name(), request.etag(), record);
      }));
  // The policy is deleted after the bundle. A crash between the two leaves the policy behind, and a
  // new bundle of the same name would get it.
  return DropRecord(client->admin(), "iam/" + bundle.record);
}

}  // namespace

grpc::Status TableAdminService::CreateSchemaBundle(grpc::ServerContext*,
                                                   const admin::CreateSchemaBundleRequest* request,
                                                   google::longrunning::Operation* response) {
  admin::CreateSchemaBundleMetadata metadata;
  metadata.mutable_start_time()->set_seconds(NowSeconds());
  auto name = DoCreate(client_, *request);
  admin::SchemaBundle bundle;
  Status status = name.ok() ? DoGet(client_, *name, &bundle) : name.status();
  if (!status.ok()) return ToGrpc(status);
  metadata.set_name(bundle.name());
  metadata.mutable_end_time()->set_seconds(NowSeconds());
  *response = operations_->Done(bundle.name(), metadata, bundle);
  return grpc::Status::OK;
}

grpc::Status TableAdminService::UpdateSchemaBundle(grpc::ServerContext*,
                                                   const admin::UpdateSchemaBundleRequest* request,
                                                   google::longrunning::Operation* response) {
  admin::UpdateSchemaBundleMetadata metadata;
  metadata.set_name(request->schema_bundle().name());
  metadata.mutable_start_time()->set_seconds(NowSeconds());
  Status status = DoUpdate(client_, *request);
  admin::SchemaBundle bundle;
  if (status.ok()) status = DoGet(client_, request->schema_bundle().name(), &bundle);
  if (!status.ok()) return ToGrpc(status);
  metadata.mutable_end_time()->set_seconds(NowSeconds());
  *response = operations_->Done(bundle.name(), metadata, bundle);
  return grpc::Status::OK;
}

grpc::Status TableAdminService::GetSchemaBundle(grpc::ServerContext*,
                                                const admin::GetSchemaBundleRequest* request,
                                                admin::SchemaBundle* response) {
  return ToGrpc(DoGet(client_, request->name(), response));
}

grpc::Status TableAdminService::ListSchemaBundles(grpc::ServerContext*,
                                                  const admin::ListSchemaBundlesRequest* request,
                                                  admin::ListSchemaBundlesResponse* response) {
  return ToGrpc(DoList(client_, *request, response));
}

grpc::Status TableAdminService::DeleteSchemaBundle(grpc::ServerContext*,
                                                   const admin::DeleteSchemaBundleRequest* request,
                                                   google::protobuf::Empty*) {
  return ToGrpc(DoDelete(client_, *request));
}

}  // namespace sippar::cluster
