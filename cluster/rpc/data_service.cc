// The data service. SPDX-License-Identifier: Apache-2.0
#include "cluster/rpc/data_service.h"

#include <fmt/format.h>

#include <optional>

#include "cluster/client/row_operations.h"
#include "cluster/rpc/authorized_views.h"
#include "cluster/rpc/change_streams.h"
#include "cluster/rpc/client_features.h"
#include "cluster/rpc/data_convert.h"
#include "cluster/rpc/execute_query.h"
#include "cluster/rpc/filter_convert.h"
#include "cluster/rpc/find_table.h"
#include "cluster/rpc/read_rows.h"
#include "cluster/rpc/request_size.h"
#include "cluster/rpc/resource_names.h"
#include "cluster/rpc/schema_convert.h"
#include "cluster/rpc/status_codes.h"
#include "engine/base/limits.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;

// The table a request names, as it is now, and what of it the request may reach.
struct Target {
  InstanceName instance;
  std::string table;  // stored name
  TableRules rules;
  std::optional<TableView> view;  // none: the whole table

  Status CheckWrite(const RowMutation& mutation) const {
    return view ? view->CheckWrite(mutation, rules.schema->FamilyNames()) : OkStatus();
  }
};

template <typename Request>
StatusOr<Target> TargetOf(Client* client, const Request& request) {
  const std::string& view_name = request.authorized_view_name();
  std::string table_name = request.table_name();
  std::string view_id;
  if (!view_name.empty()) {
    ASSIGN_OR_RETURN(TablePartName view, TablePartName::Parse(view_name, "authorizedViews"));
    table_name = view.table.ToString();
    view_id = view.id;
  }
  ASSIGN_OR_RETURN(TableName name, TableName::Parse(table_name));
  Target target{name.instance, name.stored(), {}, std::nullopt};
  auto schema = client->admin()->GetSchema(target.table);
  if (schema.status().code() == StatusCode::kNotFound) {
    return NotFound(fmt::format("Table not found: {}", table_name));
  }
  RETURN_IF_ERROR(schema.status());
  target.rules = RulesOf(std::move(*schema));
  if (!view_id.empty()) {
    ASSIGN_OR_RETURN(FoundTable table, FindTable(client, table_name));
    ASSIGN_OR_RETURN(target.view, FindView(client->admin(), table.info.table_id, view_id));
  }
  return target;
}

bool TakesScannedRows(const grpc::ServerContext& context) {
  const auto& headers = context.client_metadata();
  auto found = headers.find("bigtable-features");
  if (found == headers.end()) return false;
  return ClientFeatures({found->second.data(), found->second.size()}).last_scanned_row_responses();
}

// The Go client takes the end of a message for the end of a row.
bool WantsWholeRows(const grpc::ServerContext& context) {
  const auto& headers = context.client_metadata();
  auto found = headers.find("user-agent");
  return found != headers.end() && found->second.find("grpc-go/") != grpc::string_ref::npos;
}

StatusOr<RowsRequest> RowsRequestOf(Client* client, const v2::ReadRowsRequest& request) {
  RETURN_IF_ERROR(CheckPlainSize(request));
  if (!request.materialized_view_name().empty()) {
    return Unimplemented("materialized_view_name: materialized views are not there yet");
  }
  ASSIGN_OR_RETURN(Target target, TargetOf(client, request));
  RowsRequest rows;
  rows.table = std::move(target.table);
  rows.families = target.rules.schema->FamilyNames();
  rows.view = std::move(target.view);
  ASSIGN_OR_RETURN(rows.rows, RowSetFromProto(request.rows()));
  ASSIGN_OR_RETURN(rows.filter, FilterFromProto(request.filter()));
  if (request.rows_limit() < 0) {
    return InvalidArgument(
        fmt::format("rows_limit is {}; it may not be negative", request.rows_limit()));
  }
  rows.rows_limit = request.rows_limit();
  rows.reversed = request.reversed();
  rows.with_stats = request.request_stats_view() == v2::ReadRowsRequest::REQUEST_STATS_FULL;
  return rows;
}

// The last message goes in one packet with the status. False: the caller is gone.
template <typename Response>
bool Write(const Response& response, bool is_last, grpc::ServerWriter<Response>* writer) {
  if (!is_last) return writer->Write(response);
  writer->WriteLast(response, {});
  return true;
}

Status DoReadRows(Client* client, const v2::ReadRowsRequest& request,
                  const grpc::ServerContext& context, const CancelFlag& cancel,
                  grpc::ServerWriter<v2::ReadRowsResponse>* writer) {
  ASSIGN_OR_RETURN(RowsRequest rows, RowsRequestOf(client, request));
  rows.takes_scanned_rows = TakesScannedRows(context);
  CallOptions options;
  options.cancel = cancel;
  RowChunks chunks([writer](const v2::ReadRowsResponse& response,
                            bool is_last) { return Write(response, is_last, writer); },
                   WantsWholeRows(context));
  return ReadRows(client->data(), client->clock(), rows, options, &chunks);
}

Status DoSampleRowKeys(Client* client, const v2::SampleRowKeysRequest& request,
                       grpc::ServerWriter<v2::SampleRowKeysResponse>* writer) {
  if (!request.materialized_view_name().empty()) {
    return Unimplemented("materialized_view_name: materialized views are not there yet");
  }
  ASSIGN_OR_RETURN(Target target, TargetOf(client, request));
  ASSIGN_OR_RETURN(engine::RowRange range, RangeFromProto(request.row_range()));
  ASSIGN_OR_RETURN(std::vector<TabletInfo> tablets, client->data()->Tablets(target.table));
  engine::RowSet rows(range);
  if (target.view) rows = rows.Intersection(target.view->Rows());
  int64_t offset = 0;
  for (const TabletInfo& tablet : tablets) {
    offset += static_cast<int64_t>(tablet.stored_bytes + tablet.memtable_bytes);
    bool is_last = tablet.range.limit.empty();
    if (!is_last && !rows.Contains(tablet.range.limit)) continue;
    v2::SampleRowKeysResponse sample;
    sample.set_row_key(tablet.range.limit);
    sample.set_offset_bytes(offset);
    if (!writer->Write(sample)) return Cancelled("the reader is gone");
  }
  return OkStatus();
}

// The time of cells whose time is the server's. On a table of microseconds the tablet gives it:
// never twice, never backwards.
int64_t ServerTime(Client* client, const TableRules& rules) {
  return rules.is_millis ? CellTime(rules, client->clock()->NowMicros()) : engine::kServerTime;
}

// A handler's request is its own: gRPC made it for this call, and only destroys it.
template <typename Request>
Request* Own(const Request* request) {
  GiveBackPieces(*request);
  return const_cast<Request*>(request);
}

Status DoMutateRow(Client* client, v2::MutateRowRequest* request) {
  ASSIGN_OR_RETURN(Target target, TargetOf(client, *request));
  if (request->mutations().empty()) return InvalidArgument("mutations: at least one is needed");
  ASSIGN_OR_RETURN(RowMutation mutation,
                   MutationFromProto(request->row_key(), request->mutable_mutations(), target.rules,
                                     ServerTime(client, target.rules)));
  RETURN_IF_ERROR(target.CheckWrite(mutation));
  RETURN_IF_ERROR(SetRequest(request->idempotency(), &mutation));
  if (mutation.entries.empty()) return OkStatus();  // merges of nothing
  return client->data()->Apply(target.table, mutation);
}

// Of the whole call; each entry is checked by itself.
Status CheckBatch(const v2::MutateRowsRequest& request) {
  if (request.entries().empty()) return InvalidArgument("entries: at least one is needed");
  size_t count = 0;
  for (const auto& entry : request.entries()) count += static_cast<size_t>(entry.mutations_size());
  if (count <= limits::kMutationEntriesMax) return OkStatus();
  return InvalidArgument(fmt::format("the entries have {} mutations; the limit is {} a call", count,
                                     limits::kMutationEntriesMax));
}

StatusOr<std::vector<Status>> ApplyEntries(Client* client, v2::MutateRowsRequest* request) {
  RETURN_IF_ERROR(CheckBatch(*request));
  ASSIGN_OR_RETURN(Target target, TargetOf(client, *request));
  std::vector<Status> statuses(static_cast<size_t>(request->entries_size()));
  std::vector<RowMutation> batch;
  std::vector<size_t> positions;
  int64_t server_time = ServerTime(client, target.rules);
  for (size_t i = 0; i < statuses.size(); ++i) {
    v2::MutateRowsRequest::Entry& entry = *request->mutable_entries(static_cast<int>(i));
    auto mutation =
        MutationFromProto(entry.row_key(), entry.mutable_mutations(), target.rules, server_time);
    statuses[i] = mutation.status();
    if (mutation.ok()) statuses[i] = target.CheckWrite(*mutation);
    if (statuses[i].ok()) statuses[i] = SetRequest(entry.idempotency(), &*mutation);
    if (entry.mutations().empty()) {
      statuses[i] = InvalidArgument("mutations: at least one is needed");
    }
    if (!statuses[i].ok() || mutation->entries.empty()) continue;  // or merges of nothing
    batch.push_back(std::move(*mutation));
    positions.push_back(i);
  }
  std::vector<Status> applied = client->data()->ApplyBatch(target.table, batch);
  for (size_t i = 0; i < applied.size(); ++i) statuses[positions[i]] = std::move(applied[i]);
  return statuses;
}

Status DoMutateRows(Client* client, v2::MutateRowsRequest* request,
                    grpc::ServerWriter<v2::MutateRowsResponse>* writer) {
  constexpr int kEntriesMax = 10'000;  // of one message
  ASSIGN_OR_RETURN(std::vector<Status> statuses, ApplyEntries(client, request));
  v2::MutateRowsResponse response;
  for (size_t i = 0; i < statuses.size(); ++i) {
    v2::MutateRowsResponse::Entry* entry = response.add_entries();
    entry->set_index(static_cast<int64_t>(i));
    ToProto(statuses[i], entry->mutable_status());
    bool is_last = i + 1 == statuses.size();
    if (response.entries_size() < kEntriesMax && !is_last) continue;
    if (!Write(response, is_last, writer)) return Cancelled("the caller is gone");
    response.Clear();
  }
  return OkStatus();
}

StatusOr<bool> DoCheckAndMutate(const InstanceRecords& records,
                                v2::CheckAndMutateRowRequest* request) {
  Client* client = records.client();
  ASSIGN_OR_RETURN(Target target, TargetOf(client, *request));
  RETURN_IF_ERROR(records.CheckTransactions(target.instance, request->app_profile_id()));
  if (request->true_mutations().empty() && request->false_mutations().empty()) {
    return InvalidArgument("true_mutations and false_mutations: at least one is needed");
  }
  CheckedMutation checked;
  checked.seed = static_cast<uint64_t>(client->clock()->MonotonicNanos());
  ASSIGN_OR_RETURN(checked.predicate, FilterFromProto(request->predicate_filter()));
  int64_t server_time = ServerTime(client, target.rules);
  auto on_true = MutationFromProto(request->row_key(), request->mutable_true_mutations(),
                                   target.rules, server_time);
  if (!on_true.ok()) return Annotate(on_true.status(), "true_mutations");
  auto on_false = MutationFromProto(request->row_key(), request->mutable_false_mutations(),
                                    target.rules, server_time);
  if (!on_false.ok()) return Annotate(on_false.status(), "false_mutations");
  // Whichever will be written: what is refused must not depend on cells.
  RETURN_IF_ERROR(target.CheckWrite(*on_true));
  RETURN_IF_ERROR(target.CheckWrite(*on_false));
  if (target.view) checked.view = &*target.view;
  checked.on_true = std::move(*on_true);
  checked.on_false = std::move(*on_false);
  return CheckAndMutate(client->data(), target.table, target.rules.schema->FamilyNames(), checked);
}

Status DoReadModifyWrite(const InstanceRecords& records,
                         const v2::ReadModifyWriteRowRequest& request,
                         v2::ReadModifyWriteRowResponse* response) {
  Client* client = records.client();
  ASSIGN_OR_RETURN(Target target, TargetOf(client, request));
  RETURN_IF_ERROR(records.CheckTransactions(target.instance, request.app_profile_id()));
  RETURN_IF_ERROR(engine::ValidateRowKey(request.row_key()));
  ASSIGN_OR_RETURN(std::vector<ModifyRule> rules, RulesFromProto(request.rules(), target.rules));
  if (target.view) RETURN_IF_ERROR(target.view->CheckRow(request.row_key()));
  for (const ModifyRule& rule : rules) {
    if (target.view) RETURN_IF_ERROR(target.view->CheckColumn(rule.family, rule.qualifier));
  }
  int64_t now_us = CellTime(target.rules, client->clock()->NowMicros());
  ASSIGN_OR_RETURN(std::vector<Cell> cells,
                   ReadModifyWrite(client->data(), target.table, request.row_key(), rules, now_us));
  RowToProto(request.row_key(), cells, response->mutable_row());
  return OkStatus();
}

}  // namespace

grpc::Status DataService::ReadRows(grpc::ServerContext* context, const v2::ReadRowsRequest* request,
                                   Writer<v2::ReadRowsResponse>* writer) {
  CallWatch::Scope scope(&watch_, context);
  return ToGrpc(DoReadRows(client_, *request, *context, scope.cancel(), writer));
}

grpc::Status DataService::SampleRowKeys(grpc::ServerContext*,
                                        const v2::SampleRowKeysRequest* request,
                                        Writer<v2::SampleRowKeysResponse>* writer) {
  return ToGrpc(DoSampleRowKeys(client_, *request, writer));
}

grpc::Status DataService::MutateRow(grpc::ServerContext*, const v2::MutateRowRequest* request,
                                    v2::MutateRowResponse*) {
  return ToGrpc(DoMutateRow(client_, Own(request)));
}

grpc::Status DataService::MutateRows(grpc::ServerContext*, const v2::MutateRowsRequest* request,
                                     Writer<v2::MutateRowsResponse>* writer) {
  return ToGrpc(DoMutateRows(client_, Own(request), writer));
}

grpc::Status DataService::CheckAndMutateRow(grpc::ServerContext*,
                                            const v2::CheckAndMutateRowRequest* request,
                                            v2::CheckAndMutateRowResponse* response) {
  StatusOr<bool> matched = DoCheckAndMutate(*records_, Own(request));
  if (matched.ok()) response->set_predicate_matched(*matched);
  return ToGrpc(matched.status());
}

grpc::Status DataService::PingAndWarm(grpc::ServerContext*, const v2::PingAndWarmRequest* request,
                                      v2::PingAndWarmResponse*) {
  return ToGrpc(InstanceName::Parse(request->name()).status());
}

grpc::Status DataService::ReadModifyWriteRow(grpc::ServerContext*,
                                             const v2::ReadModifyWriteRowRequest* request,
                                             v2::ReadModifyWriteRowResponse* response) {
  return ToGrpc(DoReadModifyWrite(*records_, *request, response));
}

grpc::Status DataService::GenerateInitialChangeStreamPartitions(
    grpc::ServerContext*, const v2::GenerateInitialChangeStreamPartitionsRequest* request,
    Writer<v2::GenerateInitialChangeStreamPartitionsResponse>* writer) {
  return ToGrpc(GiveChangePartitions(client_, *request, writer));
}

grpc::Status DataService::ReadChangeStream(grpc::ServerContext* context,
                                           const v2::ReadChangeStreamRequest* request,
                                           Writer<v2::ReadChangeStreamResponse>* writer) {
  CallWatch::Scope scope(&watch_, context, /*is_endless=*/true);
  Status status = GiveChanges(client_, *request, scope.cancel(), writer);
  if (status.code() == StatusCode::kCancelled && !context->IsCancelled()) {
    status = Unavailable("the server stops; go on from the last token when it is back");
  }
  return ToGrpc(status);
}

grpc::Status DataService::PrepareQuery(grpc::ServerContext*, const v2::PrepareQueryRequest* request,
                                       v2::PrepareQueryResponse* response) {
  return ToGrpc(cluster::PrepareQuery(*records_, queries_, *request, response));
}

grpc::Status DataService::ExecuteQuery(grpc::ServerContext* context,
                                       const v2::ExecuteQueryRequest* request,
                                       Writer<v2::ExecuteQueryResponse>* writer) {
  CallWatch::Scope scope(&watch_, context);
  return cluster::ExecuteQuery(*records_, queries_, *request, scope.cancel(), writer);
}

}  // namespace sippar::cluster
