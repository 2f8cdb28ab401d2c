// The data service. SPDX-License-Identifier: Apache-2.0
#include "cluster/rpc/data_service.h"

#include <fmt/format.h>

#include "cluster/client/row_operations.h"
#include "cluster/rpc/change_streams.h"
#include "cluster/rpc/data_convert.h"
#include "cluster/rpc/execute_query.h"
#include "cluster/rpc/filter_convert.h"
#include "cluster/rpc/request_size.h"
#include "cluster/rpc/request_target.h"
#include "cluster/rpc/status_codes.h"
#include "engine/base/limits.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;

// The last message goes in one packet with the status. False: the caller is gone.
template <typename Response>
bool Write(const Response& response, bool is_last, grpc::ServerWriter<Response>* writer) {
  if (!is_last) return writer->Write(response);
  writer->WriteLast(response, {});
  return true;
}

Status DoSampleRowKeys(Client* client, const v2::SampleRowKeysRequest& request,
                       grpc::ServerWriter<v2::SampleRowKeysResponse>* writer) {
  if (!request.materialized_view_name().empty()) {
    return Unimplemented("materialized_view_name: materialized views are not there yet");
  }
  ASSIGN_OR_RETURN(RequestTarget target, TargetOf(client, request));
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

// A handler's request is its own: gRPC made it for this call, and only destroys it.
template <typename Request>
Request* Own(const Request* request) {
  GiveBackPieces(*request);
  return const_cast<Request*>(request);
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
  ASSIGN_OR_RETURN(RequestTarget target, TargetOf(client, *request));
  std::vector<Status> statuses(static_cast<size_t>(request->entries_size()));
  std::vector<RowMutation> batch;
  std::vector<size_t> positions;
  int64_t server_time = target.ServerTime(client->clock());
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
  ASSIGN_OR_RETURN(RequestTarget target, TargetOf(client, *request));
  RETURN_IF_ERROR(records.CheckTransactions(target.instance, request->app_profile_id()));
  if (request->true_mutations().empty() && request->false_mutations().empty()) {
    return InvalidArgument("true_mutations and false_mutations: at least one is needed");
  }
  CheckedMutation checked;
  checked.seed = static_cast<uint64_t>(client->clock()->MonotonicNanos());
  ASSIGN_OR_RETURN(checked.predicate, FilterFromProto(request->predicate_filter()));
  int64_t server_time = target.ServerTime(client->clock());
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
  ASSIGN_OR_RETURN(RequestTarget target, TargetOf(client, request));
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

grpc::Status DataService::SampleRowKeys(grpc::ServerContext*,
                                        const v2::SampleRowKeysRequest* request,
                                        Writer<v2::SampleRowKeysResponse>* writer) {
  return ToGrpc(DoSampleRowKeys(client_, *request, writer));
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
