// The calls of TableAdminService for tables.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/table_admin_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cluster/bigtable/authorized_views.h"
#include "cluster/bigtable/find_table.h"
#include "cluster/bigtable/message_records.h"
#include "cluster/bigtable/resource_names.h"
#include "cluster/bigtable/row_key_schema.h"
#include "cluster/bigtable/schema_convert.h"
#include "cluster/client/row_operations.h"
#include "cluster/grpc/request_size.h"
#include "cluster/grpc/status_codes.h"

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;

// How long a deleted table can be undeleted, as in Cloud Bigtable.
constexpr int64_t kKeptMicros = int64_t{7} * 24 * 3600 * 1'000'000;
constexpr int kAlterTriesMax = 100;  // races with other schema changes before a call gives up

// The split keys of the request, sorted and distinct, as AdminApi requires.
StatusOr<std::vector<std::string>> SplitKeys(const admin::CreateTableRequest& request) {
  std::vector<std::string> keys;
  for (const auto& split : request.initial_splits()) {
    RETURN_IF_ERROR(Annotate(engine::ValidateRowKey(split.key()), "initial_splits"));
    keys.push_back(split.key());
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

StatusOr<FoundTable> DoCreate(const InstanceRecords& records,
                              const admin::CreateTableRequest& request) {
  Client* client = records.client();
  RETURN_IF_ERROR(CheckPlainSize(request));
  ASSIGN_OR_RETURN(InstanceName instance, InstanceName::Parse(request.parent()));
  RETURN_IF_ERROR(records.CheckExists(instance));
  ASSIGN_OR_RETURN(TableName name, TableName::Of(instance, request.table_id()));
  ASSIGN_OR_RETURN(engine::TableSchema schema, SchemaFromProto(name, request.table()));
  ASSIGN_OR_RETURN(std::vector<std::string> keys, SplitKeys(request));
  RETURN_IF_ERROR(client->admin()->Do(calls::CreateTable{schema, keys}));
  return FindTable(client, name.ToString());
}

// Converts a table. Its state is the same in every cluster of its instance: one store serves all.
Status ToProto(const InstanceRecords& records, const TableName& name,
               const engine::TableSchema& schema, admin::Table::View view, admin::Table* out) {
  TableToProto(name, schema, view, out);
  if (view != admin::Table::FULL && view != admin::Table::REPLICATION_VIEW &&
      view != admin::Table::ENCRYPTION_VIEW) {
    return OkStatus();
  }
  ASSIGN_OR_RETURN(std::vector<std::string> clusters, records.ClusterIds(name.instance));
  admin::Table::ClusterState state;
  state.set_replication_state(admin::Table::ClusterState::READY);
  for (const std::string& id : clusters) (*out->mutable_cluster_states())[id] = state;
  return OkStatus();
}

Status DoList(const InstanceRecords& records, const admin::ListTablesRequest& request,
              admin::ListTablesResponse* response) {
  ASSIGN_OR_RETURN(InstanceName instance, InstanceName::Parse(request.parent()));
  ASSIGN_OR_RETURN(std::vector<TableInfo> tables, records.admin()->Do(calls::ListTables{}));
  ASSIGN_OR_RETURN(Page page, Page::Of(request.page_size(), request.page_token()));
  // For VIEW_UNSPECIFIED, the API says: ListTables returns only names, GetTable the schema.
  admin::Table::View view =
      request.view() == admin::Table::VIEW_UNSPECIFIED ? admin::Table::NAME_ONLY : request.view();
  for (const TableInfo& info : tables) {
    auto name = TableName::FromStored(info.schema.name);
    if (!name.ok() || name->instance != instance) continue;
    if (name->table_id <= page.after) continue;
    if (static_cast<size_t>(response->tables_size()) == page.size) {
      auto last = TableName::Parse(response->tables(response->tables_size() - 1).name());
      response->set_next_page_token(last->table_id);
      break;
    }
    RETURN_IF_ERROR(ToProto(records, *name, info.schema, view, response->add_tables()));
  }
  return OkStatus();
}

using Change = std::function<Status(engine::TableSchema*)>;

// Applies `change` to the present schema of the table. Starts again if another call has changed the
// schema in between: AlterTable refuses a version that is not the latest.
StatusOr<FoundTable> Alter(Client* client, const std::string& name, const Change& change) {
  for (int i = 0; i < kAlterTriesMax; ++i) {
    ASSIGN_OR_RETURN(FoundTable table, FindTable(client, name));
    RETURN_IF_ERROR(change(&table.info.schema));
    Status status =
        client->admin()->Do(calls::AlterTable{table.info.schema, table.info.schema_version});
    if (status.ok()) return FindTable(client, name);
    if (status.code() != StatusCode::kAborted) return status;
  }
  return Aborted(fmt::format(
      "table {}: other callers changed its schema during each attempt; try again", name));
}

Status UpdateOption(const std::string& path, const admin::UpdateTableRequest& request,
                    engine::TableSchema* schema) {
  const admin::Table& wanted = request.table();
  if (path == "change_stream_config" || path == "change_stream_config.retention_period") {
    return ChangeStreamFromProto(wanted, schema);
  }
  if (path == "row_key_schema") {
    return ChangeRowKeySchema(wanted, request.ignore_warnings(), schema);
  }
  if (path != "deletion_protection") {
    bool is_policy = path.starts_with("automated_backup_policy");
    return Unimplemented(fmt::format(
        "update_mask names '{}'; {}", path,
        is_policy ? "automatic backups are not supported, use CreateBackup"
                  : "only deletion_protection, change_stream_config and row_key_schema can be "
                    "changed"));
  }
  if (wanted.deletion_protection()) {
    schema->options[engine::kProtectedOption] = "TRUE";
  } else {
    schema->options.erase(engine::kProtectedOption);
  }
  return OkStatus();
}

StatusOr<FoundTable> DoUpdate(Client* client, const admin::UpdateTableRequest& request) {
  if (request.update_mask().paths().empty()) {
    return InvalidArgument("update_mask: name at least one field");
  }
  return Alter(client, request.table().name(), [&](engine::TableSchema* schema) -> Status {
    for (const std::string& path : request.update_mask().paths()) {
      RETURN_IF_ERROR(UpdateOption(path, request, schema));
    }
    return OkStatus();
  });
}

Status DoDelete(Client* client, const std::string& name) {
  ASSIGN_OR_RETURN(FoundTable table, FindTable(client, name));
  RETURN_IF_ERROR(CheckNoProtectedView(client->admin(), table.info.table_id));
  return client->admin()->Do(calls::DropAndKeepTable{table.name.stored(), kKeptMicros});
}

StatusOr<FoundTable> DoModify(Client* client, const admin::ModifyColumnFamiliesRequest& request) {
  RETURN_IF_ERROR(CheckPlainSize(request));
  if (request.modifications().empty()) {
    return InvalidArgument("modifications: at least one is needed");
  }
  return Alter(client, request.name(), [&](engine::TableSchema* schema) {
    return ModifyFamilies(request.modifications(), schema);
  });
}

Status DoDropRows(Client* client, const admin::DropRowRangeRequest& request) {
  ASSIGN_OR_RETURN(FoundTable table, FindTable(client, request.name()));
  if (request.delete_all_data_from_table()) {
    return DeleteRows(client->data(), table.name.stored(), engine::RowRange::All());
  }
  if (request.row_key_prefix().empty()) {
    return InvalidArgument(
        "row_key_prefix is empty; to drop every row, set delete_all_data_from_table");
  }
  return DeleteRows(client->data(), table.name.stored(),
                    engine::RowRange::Prefix(request.row_key_prefix()));
}

grpc::Status AnswerWith(const InstanceRecords& records, const StatusOr<FoundTable>& table,
                        admin::Table::View view, admin::Table* response) {
  if (!table.ok()) return ToGrpc(table.status());
  return ToGrpc(ToProto(records, table->name, table->info.schema, view, response));
}

}  // namespace

grpc::Status TableAdminService::CreateTable(grpc::ServerContext*,
                                            const admin::CreateTableRequest* request,
                                            admin::Table* response) {
  return AnswerWith(*records_, DoCreate(*records_, *request), admin::Table::SCHEMA_VIEW, response);
}

grpc::Status TableAdminService::ListTables(grpc::ServerContext*,
                                           const admin::ListTablesRequest* request,
                                           admin::ListTablesResponse* response) {
  return ToGrpc(DoList(*records_, *request, response));
}

grpc::Status TableAdminService::GetTable(grpc::ServerContext*,
                                         const admin::GetTableRequest* request,
                                         admin::Table* response) {
  return AnswerWith(*records_, FindTable(client_, request->name()), request->view(), response);
}

grpc::Status TableAdminService::UpdateTable(grpc::ServerContext*,
                                            const admin::UpdateTableRequest* request,
                                            google::longrunning::Operation* response) {
  int64_t started_s = client_->clock()->NowMicros() / 1'000'000;
  StatusOr<FoundTable> updated = DoUpdate(client_, *request);
  if (!updated.ok()) return ToGrpc(updated.status());
  admin::UpdateTableMetadata metadata;
  metadata.set_name(updated->name.ToString());
  metadata.mutable_start_time()->set_seconds(started_s);
  metadata.mutable_end_time()->set_seconds(client_->clock()->NowMicros() / 1'000'000);
  admin::Table table;
  TableToProto(updated->name, updated->info.schema, admin::Table::SCHEMA_VIEW, &table);
  *response = operations_->Done(table.name(), metadata, table);
  return grpc::Status::OK;
}

grpc::Status TableAdminService::DeleteTable(grpc::ServerContext*,
                                            const admin::DeleteTableRequest* request,
                                            google::protobuf::Empty*) {
  return ToGrpc(DoDelete(client_, request->name()));
}

grpc::Status TableAdminService::ModifyColumnFamilies(
    grpc::ServerContext*, const admin::ModifyColumnFamiliesRequest* request,
    admin::Table* response) {
  return AnswerWith(*records_, DoModify(client_, *request), admin::Table::SCHEMA_VIEW, response);
}

grpc::Status TableAdminService::DropRowRange(grpc::ServerContext*,
                                             const admin::DropRowRangeRequest* request,
                                             google::protobuf::Empty*) {
  return ToGrpc(DoDropRows(client_, *request));
}

// All clusters of an instance are one store, so each reader sees every acknowledged write at once,
// and any token of the table is consistent. The token contains the table id only to detect tokens
// of other tables.
grpc::Status TableAdminService::GenerateConsistencyToken(
    grpc::ServerContext*, const admin::GenerateConsistencyTokenRequest* request,
    admin::GenerateConsistencyTokenResponse* response) {
  StatusOr<FoundTable> table = FindTable(client_, request->name());
  if (table.ok()) response->set_consistency_token(fmt::format("t{}", table->info.table_id));
  return ToGrpc(table.status());
}

grpc::Status TableAdminService::CheckConsistency(grpc::ServerContext*,
                                                 const admin::CheckConsistencyRequest* request,
                                                 admin::CheckConsistencyResponse* response) {
  StatusOr<FoundTable> table = FindTable(client_, request->name());
  if (!table.ok()) return ToGrpc(table.status());
  if (request->consistency_token() != fmt::format("t{}", table->info.table_id)) {
    return ToGrpc(
        InvalidArgument(fmt::format("consistency_token '{}' was not generated for table {}; call "
                                    "GenerateConsistencyToken for this table",
                                    request->consistency_token().substr(0, 100), request->name())));
  }
  response->set_consistent(true);
  return grpc::Status::OK;
}

}  // namespace sippar::cluster
