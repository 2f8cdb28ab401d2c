// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/data_service.h"

#include <fmt/format.h>

#include "cluster/bigtable/change_streams.h"
#include "cluster/bigtable/data_convert.h"
#include "cluster/bigtable/execute_query.h"
#include "cluster/bigtable/find_table.h"
#include "cluster/grpc/call_trace.h"
#include "cluster/grpc/request_size.h"
#include "cluster/grpc/status_codes.h"
#include "engine/base/limits.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;

// Sends one message. The last message is sent in one packet with the status, so Write cannot tell
// whether it was delivered, and returns true. False: the caller cancelled the call or disconnected.
template <typename Response>
bool Write(const Response& response, bool is_last, grpc::ServerWriter<Response>* writer) {
  if (!is_last) return writer->Write(response);
  writer->WriteLast(response, {});
  return true;
}

struct RowSample {
  std::string key;
  int64_t offset = 0;  // approximate bytes of the table before the key
};

// Returns the ends of those tablets inside `range` that `rows` contains, and then the end of
// `range`. So the samples divide the whole range, which a caller may read part by part.
std::vector<RowSample> SamplesOf(const std::vector<TabletInfo>& tablets,
                                 const engine::RowRange& range, const engine::RowSet& rows) {
  std::vector<RowSample> samples;
  if (range.IsEmpty()) return samples;
  int64_t offset = 0;
  for (const TabletInfo& tablet : tablets) {
    offset += static_cast<int64_t>(tablet.stored_bytes + tablet.memtable_bytes);
    const std::string& end = tablet.range.limit;
    bool is_last = end.empty() || (!range.limit.empty() && end >= range.limit);
    if (is_last) break;
    if (end > range.start && rows.Contains(end)) samples.push_back({end, offset});
  }
  samples.push_back({range.limit, offset});
  return samples;
}

Status DoSampleRowKeys(Client* client, const v2::SampleRowKeysRequest& request,
                       grpc::ServerWriter<v2::SampleRowKeysResponse>* writer) {
  if (!request.materialized_view_name().empty()) {
    return Unimplemented("materialized_view_name: materialized views are not supported");
  }
  ASSIGN_OR_RETURN(RequestTarget target, TargetOf(client, request));
  ASSIGN_OR_RETURN(engine::RowRange range, RangeFromProto(request.row_range()));
  ASSIGN_OR_RETURN(std::vector<TabletInfo> tablets,
                   client->data()->Do(calls::ListTablets{target.table}));
  engine::RowSet rows(range);
  if (target.view) rows = rows.Intersection(target.view->Rows());
  for (const RowSample& sample : SamplesOf(tablets, range, rows)) {
    v2::SampleRowKeysResponse response;
    response.set_row_key(sample.key);
    response.set_offset_bytes(sample.offset);
    if (!writer->Write(response)) return Cancelled("the caller cancelled the read or disconnected");
  }
  return OkStatus();
}

// Makes the request mutable, to move large values out of it. This is safe: gRPC made the object for
// this call alone and only destroys it afterwards.
template <typename Request>
Request* Own(const Request* request) {
  GiveBackPieces(*request);
  return const_cast<Request*>(request);
}

// Checks the limits of the whole call. ApplyEntries checks each entry; an invalid entry does not
// make the other entries fail.
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
  for (size_t i = 0; i < statuses.size(); ++i) {
    v2::MutateRowsRequest::Entry& entry = *request->mutable_entries(static_cast<int>(i));
    auto mutation = MutationFromProto(entry.row_key(), entry.mutable_mutations(), target.rules);
    statuses[i] = mutation.status();
    if (mutation.ok()) statuses[i] = target.CheckWrite(*mutation);
    if (statuses[i].ok()) statuses[i] = SetRequest(entry.idempotency(), &*mutation);
    if (entry.mutations().empty()) statuses[i] = InvalidArgument("No mutations provided");
    // A mutation without entries (a merge without input) changes nothing, so its status is OK.
    if (!statuses[i].ok() || mutation->entries.empty()) continue;
    batch.push_back(std::move(*mutation));
    positions.push_back(i);
  }
  std::vector<Status> applied = client->data()->ApplyBatch(target.table, batch);
  for (size_t i = 0; i < applied.size(); ++i) statuses[positions[i]] = std::move(applied[i]);
  return statuses;
}

Status DoMutateRows(Client* client, v2::MutateRowsRequest* request,
                    grpc::ServerWriter<v2::MutateRowsResponse>* writer) {
  constexpr int kEntriesMax = 10'000;  // most statuses in one message
  ASSIGN_OR_RETURN(std::vector<Status> statuses, ApplyEntries(client, request));
  v2::MutateRowsResponse response;
  for (size_t i = 0; i < statuses.size(); ++i) {
    v2::MutateRowsResponse::Entry* entry = response.add_entries();
    entry->set_index(static_cast<int64_t>(i));
    ToProto(statuses[i], entry->mutable_status());
    bool is_last = i + 1 == statuses.size();
    if (response.entries_size() < kEntriesMax && !is_last) continue;
    if (!Write(response, is_last, writer))
      return Cancelled("the caller cancelled the call or disconnected");
    response.Clear();
  }
  return OkStatus();
}

}  // namespace

grpc::Status DataService::SampleRowKeys(grpc::ServerContext*,
                                        const v2::SampleRowKeysRequest* request,
                                        Writer<v2::SampleRowKeysResponse>* writer) {
  return ToGrpc(DoSampleRowKeys(client_, *request, writer));
}

grpc::Status DataService::MutateRows(grpc::ServerContext* context,
                                     const v2::MutateRowsRequest* request,
                                     Writer<v2::MutateRowsResponse>* writer) {
  const TracedWork traced(*context, "MutateRows work");
  return ToGrpc(DoMutateRows(client_, Own(request), writer));
}

grpc::Status DataService::PingAndWarm(grpc::ServerContext*, const v2::PingAndWarmRequest* request,
                                      v2::PingAndWarmResponse*) {
  return ToGrpc(InstanceName::Parse(request->name()).status());
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
  Status status = GiveChanges(*records_, *request, scope.cancel(), writer);
  // The server has cancelled the stream (EndStreams). Clients retry UNAVAILABLE, but not CANCELLED.
  if (status.code() == StatusCode::kCancelled && !context->IsCancelled()) {
    status = Unavailable(
        "the server is shutting down; continue with the last continuation token when it runs "
        "again");
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
  const TracedWork traced(*context, "ExecuteQuery work");
  return cluster::ExecuteQuery(*records_, queries_, *request, scope.cancel(), writer);
}

}  // namespace sippar::cluster
