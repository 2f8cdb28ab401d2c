// The calls of TableAdminService for authorized views.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/bigtable/authorized_views.h"
#include "cluster/bigtable/find_table.h"
#include "cluster/bigtable/message_records.h"
#include "cluster/bigtable/table_admin_service.h"
#include "cluster/grpc/status_codes.h"

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;

constexpr const char* kKind = "authorizedViews";

struct FoundView {
  FoundTable table;
  TablePartName name;
  std::string record;
};

// The record's name has the table's id and not its name, so a table that is created again under the
// same name does not get the old views.
StatusOr<FoundView> Locate(Client* client, TablePartName name) {
  ASSIGN_OR_RETURN(FoundTable table, FindTable(client, name.table.ToString()));
  std::string record = ViewRecords(table.info.table_id) + name.id;
  return FoundView{std::move(table), std::move(name), std::move(record)};
}

StatusOr<FoundView> Locate(Client* client, const std::string& name) {
  ASSIGN_OR_RETURN(TablePartName parsed, TablePartName::Parse(name, kKind));
  return Locate(client, std::move(parsed));
}

Status CheckView(const admin::AuthorizedView& view, const FoundTable& table) {
  if (!view.has_subset_view()) return InvalidArgument("authorized_view: subset_view is missing");
  for (const auto& [family, columns] : view.subset_view().family_subsets()) {
    if (table.info.schema.FindFamily(family) != nullptr) continue;
    return NotFound(fmt::format("Requested column family not found: '{}'", family));
  }
  return OkStatus();
}

// Adds the name and, unless `parts` is NAME_ONLY, the etag to a stored view, which has neither, and
// removes what `parts` does not ask for.
void FillAnswer(const TablePartName& name, const NamedRecord& record,
                admin::AuthorizedView::ResponseView parts, admin::AuthorizedView* out) {
  out->set_name(name.ToString());
  if (parts == admin::AuthorizedView::NAME_ONLY) {
    out->clear_subset_view();
    out->clear_deletion_protection();
    return;
  }
  out->set_etag(EtagOf(record));
  if (parts == admin::AuthorizedView::BASIC) out->clear_subset_view();
}

Status DoGet(Client* client, const std::string& name, admin::AuthorizedView::ResponseView parts,
             admin::AuthorizedView* out) {
  ASSIGN_OR_RETURN(FoundView view, Locate(client, name));
  auto record = client->admin()->Do(calls::GetRecord{view.record});
  if (record.status().code() == StatusCode::kNotFound) return NoView(name);
  RETURN_IF_ERROR(record.status());
  RETURN_IF_ERROR(ParseRecord(*record, out));
  FillAnswer(view.name, *record, parts, out);
  return OkStatus();
}

Status DoList(Client* client, const admin::ListAuthorizedViewsRequest& request,
              admin::ListAuthorizedViewsResponse* response) {
  ASSIGN_OR_RETURN(Page page, Page::Of(request.page_size(), request.page_token()));
  ASSIGN_OR_RETURN(FoundTable table, FindTable(client, request.parent()));
  std::string prefix = ViewRecords(table.info.table_id);
  ASSIGN_OR_RETURN(std::vector<NamedRecord> records,
                   client->admin()->Do(calls::ListRecords{prefix}));
  auto parts = request.view() == admin::AuthorizedView::RESPONSE_VIEW_UNSPECIFIED
                   ? admin::AuthorizedView::NAME_ONLY
                   : request.view();
  std::string last;
  for (const NamedRecord& record : records) {
    std::string id = record.name.substr(prefix.size());
    if (id <= page.after) continue;
    if (static_cast<size_t>(response->authorized_views_size()) == page.size) {
      response->set_next_page_token(last);
      break;
    }
    admin::AuthorizedView* added = response->add_authorized_views();
    RETURN_IF_ERROR(ParseRecord(record, added));
    FillAnswer({table.name, kKind, id}, record, parts, added);
    last = id;
  }
  return OkStatus();
}

StatusOr<std::string> DoCreate(Client* client, const admin::CreateAuthorizedViewRequest& request) {
  ASSIGN_OR_RETURN(TablePartName name,
                   TablePartName::Of(request.parent(), kKind, request.authorized_view_id()));
  ASSIGN_OR_RETURN(FoundView view, Locate(client, std::move(name)));
  RETURN_IF_ERROR(CheckView(request.authorized_view(), view.table));
  admin::AuthorizedView kept;
  RETURN_IF_ERROR(
      ChangeRecord(client->admin(), view.record, &kept, [&](const NamedRecord* record) -> Status {
        if (record != nullptr) {
          return AlreadyExists(fmt::format("{} already exists", view.name.ToString()));
        }
        // Name and etag are not stored: they follow from the name and the bytes of the record.
        kept = request.authorized_view();
        kept.clear_name();
        kept.clear_etag();
        return OkStatus();
      }));
  return view.name.ToString();
}

Status DoUpdate(Client* client, const admin::UpdateAuthorizedViewRequest& request) {
  const admin::AuthorizedView& wanted = request.authorized_view();
  ASSIGN_OR_RETURN(FoundView view, Locate(client, wanted.name()));
  admin::AuthorizedView kept;
  return ChangeRecord(client->admin(), view.record, &kept,
                      [&](const NamedRecord* record) -> Status {
                        if (record == nullptr) return NoView(wanted.name());
                        RETURN_IF_ERROR(CheckEtag(wanted.name(), wanted.etag(), record));
                        RETURN_IF_ERROR(MergeFields(request.update_mask(), wanted, &kept));
                        kept.clear_name();
                        kept.clear_etag();
                        return CheckView(kept, view.table);
                      });
}

Status DoDelete(Client* client, const admin::DeleteAuthorizedViewRequest& request) {
  ASSIGN_OR_RETURN(FoundView view, Locate(client, request.name()));
  admin::AuthorizedView kept;
  Status changed =
      DeleteRecord(client->admin(), view.record, &kept, [&](const NamedRecord* record) -> Status {
        if (record == nullptr) return NoView(request.name());
        RETURN_IF_ERROR(CheckEtag(request.name(), request.etag(), record));
        if (!kept.deletion_protection()) return OkStatus();
        return FailedPrecondition(fmt::format(
            "{} is protected from deletion; update its deletion_protection to false first",
            request.name()));
      });
  RETURN_IF_ERROR(changed);
  // The policy is deleted after the view. A crash between the two leaves the policy behind, and a
  // new view of the same name would get it.
  return DropRecord(client->admin(), "iam/" + view.record);
}

}  // namespace

grpc::Status TableAdminService::CreateAuthorizedView(
    grpc::ServerContext*, const admin::CreateAuthorizedViewRequest* request,
    google::longrunning::Operation* response) {
  admin::CreateAuthorizedViewMetadata metadata;
  *metadata.mutable_original_request() = *request;
  metadata.mutable_request_time()->set_seconds(NowSeconds());
  auto name = DoCreate(client_, *request);
  admin::AuthorizedView view;
  Status status =
      name.ok() ? DoGet(client_, *name, admin::AuthorizedView::FULL, &view) : name.status();
  if (!status.ok()) return ToGrpc(status);
  metadata.mutable_finish_time()->set_seconds(NowSeconds());
  *response = operations_->Done(view.name(), metadata, view);
  return grpc::Status::OK;
}

grpc::Status TableAdminService::UpdateAuthorizedView(
    grpc::ServerContext*, const admin::UpdateAuthorizedViewRequest* request,
    google::longrunning::Operation* response) {
  admin::UpdateAuthorizedViewMetadata metadata;
  *metadata.mutable_original_request() = *request;
  metadata.mutable_request_time()->set_seconds(NowSeconds());
  Status status = DoUpdate(client_, *request);
  admin::AuthorizedView view;
  if (status.ok()) {
    status = DoGet(client_, request->authorized_view().name(), admin::AuthorizedView::FULL, &view);
  }
  if (!status.ok()) return ToGrpc(status);
  metadata.mutable_finish_time()->set_seconds(NowSeconds());
  *response = operations_->Done(view.name(), metadata, view);
  return grpc::Status::OK;
}

grpc::Status TableAdminService::GetAuthorizedView(grpc::ServerContext*,
                                                  const admin::GetAuthorizedViewRequest* request,
                                                  admin::AuthorizedView* response) {
  // A client that does not say which parts it wants expects all of them.
  auto parts = request->view() == admin::AuthorizedView::RESPONSE_VIEW_UNSPECIFIED
                   ? admin::AuthorizedView::FULL
                   : request->view();
  return ToGrpc(DoGet(client_, request->name(), parts, response));
}

grpc::Status TableAdminService::ListAuthorizedViews(
    grpc::ServerContext*, const admin::ListAuthorizedViewsRequest* request,
    admin::ListAuthorizedViewsResponse* response) {
  return ToGrpc(DoList(client_, *request, response));
}

grpc::Status TableAdminService::DeleteAuthorizedView(
    grpc::ServerContext*, const admin::DeleteAuthorizedViewRequest* request,
    google::protobuf::Empty*) {
  return ToGrpc(DoDelete(client_, *request));
}

}  // namespace sippar::cluster
