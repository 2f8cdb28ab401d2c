// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/change_streams.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/bigtable/data_convert.h"
#include "cluster/bigtable/resource_names.h"
#include "cluster/bigtable/row_chunks.h"
#include "engine/model/change_config.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;
using Response = v2::ReadChangeStreamResponse;
using engine::MutationEntry;

constexpr int64_t kHeartbeatMicros = 5'000'000;  // interval if the request names none
constexpr int64_t kHeartbeatMicrosMin = 1'000;   // limits the number of messages of an idle stream

StatusOr<TableName> TableOf(Client* client, const std::string& table_name) {
  ASSIGN_OR_RETURN(TableName name, TableName::Parse(table_name));
  auto info = client->admin()->Do(calls::GetTable{name.stored()});
  if (info.status().code() == StatusCode::kNotFound) {
    return NotFound(fmt::format("Table not found: {}", table_name));
  }
  RETURN_IF_ERROR(info.status());
  if (!engine::ChangeStreamOf(info->schema).has_value()) {
    return FailedPrecondition(
        fmt::format("{} has no change stream; update its change_stream_config first", table_name));
  }
  return name;
}

void PartitionToProto(const RowRange& rows, v2::StreamPartition* out) {
  out->mutable_row_range()->set_start_key_closed(rows.start);
  out->mutable_row_range()->set_end_key_open(rows.limit);
}

void TimeToProto(int64_t time_us, google::protobuf::Timestamp* out) {
  out->set_seconds(time_us / 1'000'000);
  out->set_nanos(static_cast<int32_t>(time_us % 1'000'000 * 1000));
}

// Checks the range before the multiplication, because a client may send any int64.
StatusOr<int64_t> TimeFromProto(const google::protobuf::Timestamp& proto, const char* field) {
  constexpr int64_t kSecondsMax = 253'402'300'799;  // the end of the year 9999
  if (proto.seconds() >= 0 && proto.seconds() <= kSecondsMax && proto.nanos() >= 0 &&
      proto.nanos() < 1'000'000'000) {
    return proto.seconds() * 1'000'000 + proto.nanos() / 1'000;
  }
  return InvalidArgument(fmt::format(
      "{}: {} s and {} ns are not a valid time; seconds are 0 to {} (1970 to 9999), nanos 0 to "
      "999999999",
      field, proto.seconds(), proto.nanos(), kSecondsMax));
}

StatusOr<ChangesRequest> RequestFromProto(const v2::ReadChangeStreamRequest& proto) {
  ChangesRequest request;
  auto partition = RangeFromProto(proto.partition().row_range());
  RETURN_IF_ERROR(Annotate(partition.status(), "partition"));
  request.partition = std::move(*partition);
  if (proto.has_start_time()) {
    ASSIGN_OR_RETURN(request.start_us, TimeFromProto(proto.start_time(), "start_time"));
  }
  if (proto.has_continuation_tokens() && proto.continuation_tokens().tokens().empty()) {
    return InvalidArgument("continuation_tokens: at least one is needed");
  }
  for (const v2::StreamContinuationToken& token : proto.continuation_tokens().tokens()) {
    auto rows = RangeFromProto(token.partition().row_range());
    RETURN_IF_ERROR(Annotate(rows.status(), "continuation_tokens"));
    request.tokens.push_back({std::move(*rows), token.token()});
  }
  if (proto.has_end_time()) {
    ASSIGN_OR_RETURN(request.end_us, TimeFromProto(proto.end_time(), "end_time"));
  }
  return request;
}

StatusOr<int64_t> HeartbeatOf(const v2::ReadChangeStreamRequest& request) {
  if (!request.has_heartbeat_duration()) return kHeartbeatMicros;
  constexpr int64_t kSecondsMax = 24 * 3600;
  const google::protobuf::Duration& duration = request.heartbeat_duration();
  // The clamp prevents an overflow of the product; -1 keeps negative durations invalid.
  int64_t seconds = std::clamp<int64_t>(duration.seconds(), -1, kSecondsMax);
  int64_t us = seconds * 1'000'000 + duration.nanos() / 1'000;
  if (us >= kHeartbeatMicrosMin) return us;
  return InvalidArgument(
      fmt::format("heartbeat_duration of {} s and {} ns: at least 1 ms is needed",
                  duration.seconds(), duration.nanos()));
}

// Sends the records of a stream. A change is one message, or several of about kMessageSize. Only
// the last message of a change has its token, so a reader never resumes in the middle of a change.
class ChangeSender {
 public:
  ChangeSender(RowRange partition, std::string cluster_id, grpc::ServerWriter<Response>* writer)
      : partition_(std::move(partition)), cluster_id_(std::move(cluster_id)), writer_(writer) {}

  Status Send(const Change& change) {
    Response::DataChange* data = response_.mutable_data_change();
    data->set_type(Response::DataChange::USER);
    data->set_source_cluster_id(cluster_id_);
    data->set_row_key(change.mutation.row);
    TimeToProto(change.commit_us, data->mutable_commit_timestamp());
    for (const MutationEntry& entry : change.mutation.entries) RETURN_IF_ERROR(Add(entry));
    data = response_.mutable_data_change();
    data->set_done(true);
    data->set_token(change.token);
    TimeToProto(change.low_watermark_us, data->mutable_estimated_low_watermark());
    return Write();
  }

  Status SendHeartbeat(const ChangeBatch& batch) {
    Response::Heartbeat* heartbeat = response_.mutable_heartbeat();
    AddToken({partition_, batch.token}, heartbeat->mutable_continuation_token());
    TimeToProto(batch.low_watermark_us, heartbeat->mutable_estimated_low_watermark());
    return Write();
  }

  Status SendClose(const ChangeBatch& batch) {
    Response::CloseStream* close = response_.mutable_close_stream();
    close->mutable_status()->set_code(0);
    for (const ChangeToken& token : batch.tokens) AddToken(token, close->add_continuation_tokens());
    for (const RowRange& rows : batch.new_partitions) {
      PartitionToProto(rows, close->add_new_partitions());
    }
    return Write();
  }

 private:
  static void AddToken(const ChangeToken& token, v2::StreamContinuationToken* out) {
    PartitionToProto(token.rows, out->mutable_partition());
    out->set_token(token.token);
  }

  Status Add(const MutationEntry& entry) {
    if (size_ >= kMessageSize) RETURN_IF_ERROR(Continue());
    if (entry.kind == MutationEntry::kSet) return AddCell(entry);
    size_ += entry.family.size() + entry.qualifier.size();
    v2::Mutation* mutation = response_.mutable_data_change()->add_chunks()->mutable_mutation();
    if (entry.kind == MutationEntry::kDeleteFamily) {
      mutation->mutable_delete_from_family()->set_family_name(entry.family);
      return OkStatus();
    }
    v2::Mutation::DeleteFromColumn* column = mutation->mutable_delete_from_column();
    column->set_family_name(entry.family);
    column->set_column_qualifier(entry.qualifier);
    v2::TimestampRange* times = column->mutable_time_range();
    if (entry.time.start_us > 0) times->set_start_timestamp_micros(entry.time.start_us);
    if (entry.time.limit_us != engine::kTimeMax) {
      times->set_end_timestamp_micros(entry.time.limit_us);
    }
    return OkStatus();
  }

  // Adds a cell, and cuts its value into pieces if it does not fit into the message. Only the first
  // piece has the column's keys; each piece has its offset and the total size of the value.
  Status AddCell(const MutationEntry& entry) {
    size_t value_size = entry.value.size();
    bool in_pieces = size_ + value_size > kMessageSize && value_size > 0;
    size_t offset = 0;
    do {
      auto* chunk = response_.mutable_data_change()->add_chunks();
      v2::Mutation::SetCell* cell = chunk->mutable_mutation()->mutable_set_cell();
      if (offset == 0) {
        cell->set_family_name(entry.family);
        cell->set_column_qualifier(entry.qualifier);
        cell->set_timestamp_micros(entry.timestamp_us);
        size_ += entry.family.size() + entry.qualifier.size();
      }
      // The room is at least one byte, so that each turn makes progress.
      size_t room = in_pieces ? kMessageSize - std::min(size_, kMessageSize - 1) : value_size;
      size_t piece = std::min(value_size - offset, room);
      cell->set_value(entry.value.substr(offset, piece));
      size_ += piece;
      if (!in_pieces) return OkStatus();
      Response::MutationChunk::ChunkInfo* info = chunk->mutable_chunk_info();
      info->set_chunked_value_size(static_cast<int32_t>(value_size));
      info->set_chunked_value_offset(static_cast<int32_t>(offset));
      offset += piece;
      info->set_last_chunk(offset == value_size);
      if (offset < value_size) RETURN_IF_ERROR(Continue());
    } while (offset < value_size);
    return OkStatus();
  }

  // Sends the message and begins the next one, which continues the same change.
  Status Continue() {
    RETURN_IF_ERROR(Write());
    response_.mutable_data_change()->set_type(Response::DataChange::CONTINUATION);
    return OkStatus();
  }

  Status Write() {
    bool is_written = writer_->Write(response_);
    response_.Clear();
    size_ = 0;
    return is_written ? OkStatus() : Cancelled("the caller cancelled the stream or disconnected");
  }

  const RowRange partition_;
  const std::string cluster_id_;
  grpc::ServerWriter<Response>* const writer_;
  Response response_;
  size_t size_ = 0;  // approximate bytes of response_
};

}  // namespace

Status GiveChangePartitions(
    Client* client, const v2::GenerateInitialChangeStreamPartitionsRequest& request,
    grpc::ServerWriter<v2::GenerateInitialChangeStreamPartitionsResponse>* writer) {
  ASSIGN_OR_RETURN(TableName table, TableOf(client, request.table_name()));
  ASSIGN_OR_RETURN(std::vector<RowRange> ranges,
                   client->data()->Do(calls::TabletRanges{table.stored()}));
  for (const RowRange& rows : ranges) {
    v2::GenerateInitialChangeStreamPartitionsResponse response;
    PartitionToProto(rows, response.mutable_partition());
    if (!writer->Write(response)) return Cancelled("the caller cancelled the call or disconnected");
  }
  return OkStatus();
}

Status GiveChanges(const InstanceRecords& records, const v2::ReadChangeStreamRequest& request,
                   const CancelFlag& cancel, grpc::ServerWriter<Response>* writer) {
  Client* client = records.client();
  ASSIGN_OR_RETURN(TableName table, TableOf(client, request.table_name()));
  ASSIGN_OR_RETURN(std::vector<std::string> clusters, records.ClusterIds(table.instance));
  ASSIGN_OR_RETURN(ChangesRequest wanted, RequestFromProto(request));
  ASSIGN_OR_RETURN(int64_t heartbeat_us, HeartbeatOf(request));
  CallOptions options;
  options.cancel = cancel;
  ASSIGN_OR_RETURN(std::unique_ptr<ChangeStream> stream,
                   client->data()->ReadChanges(table.stored(), wanted, options));
  ChangeSender sender(wanted.partition, clusters[0], writer);
  auto now_us = [client] { return client->clock()->MonotonicNanos() / 1000; };
  for (int64_t due_us = now_us() + heartbeat_us;;) {
    ASSIGN_OR_RETURN(ChangeBatch batch, stream->Next(std::max<int64_t>(0, due_us - now_us())));
    for (const Change& change : batch.changes) RETURN_IF_ERROR(sender.Send(change));
    if (batch.is_over) return sender.SendClose(batch);
    // Heartbeats are sent at their interval even while there are changes to send: a heartbeat has a
    // token for the whole partition, and clients derive their progress from it.
    if (now_us() < due_us) continue;
    RETURN_IF_ERROR(sender.SendHeartbeat(batch));
    due_us = now_us() + heartbeat_us;
  }
}

}  // namespace sippar::cluster
