// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/store_convert.h"

#include <algorithm>
#include <limits>

#include "cluster/wire/wire_codec.h"

namespace sippar::cluster {
namespace {

void ToProto(const std::vector<ChangeToken>& tokens,
             google::protobuf::RepeatedPtrField<wire::ChangeToken>* out) {
  for (const ChangeToken& token : tokens) {
    wire::ChangeToken* added = out->Add();
    cluster::ToProto(token.rows, added->mutable_rows());
    added->set_token(token.token);
  }
}

std::vector<ChangeToken> FromProto(
    const google::protobuf::RepeatedPtrField<wire::ChangeToken>& tokens) {
  std::vector<ChangeToken> out;
  for (const wire::ChangeToken& token : tokens) {
    out.push_back({cluster::FromProto(token.rows()), token.token()});
  }
  return out;
}

}  // namespace

void ToProto(const Status& status, wire::Outcome* out) {
  out->set_code(static_cast<int>(status.code()));
  out->set_text(std::string(MessageOf(status)));
  status.ForEachPayload([out](auto url, const auto& payload) {
    (*out->mutable_payloads())[std::string(url)] = std::string(payload);
  });
}

Status FromProto(const wire::Outcome& outcome) {
  if (outcome.code() == 0) return OkStatus();
  Status status(static_cast<StatusCode>(outcome.code()), outcome.text());
  for (const auto& [url, payload] : outcome.payloads()) {
    status.SetPayload(url, absl::Cord(payload));
  }
  return status;
}

void ToProto(const RowRange& range, wire::Range* out) {
  out->set_start(range.start);
  out->set_limit(range.limit);
}

RowRange FromProto(const wire::Range& range) { return {range.start(), range.limit()}; }

void ToProto(const engine::ReadCounters& counters, wire::ReadEnd* out) {
  for (const engine::ReadCounterField& entry : engine::kReadCounterFields) {
    out->add_counters(counters.*entry.field);
  }
}

// Counters have no names on the wire: two versions of this program must agree on the order of
// kReadCounterFields as far as the shorter list reaches.
void AddCounters(const wire::ReadEnd& end, engine::ReadCounters* counters) {
  size_t count =
      std::min(static_cast<size_t>(end.counters_size()), engine::kReadCounterFields.size());
  for (size_t i = 0; i < count; ++i) {
    counters->*engine::kReadCounterFields[i].field += end.counters(static_cast<int>(i));
  }
}

void ToProto(const TabletInfo& info, wire::TabletsReply::Tablet* out) {
  out->set_tablet_id(info.tablet_id);
  ToProto(info.range, out->mutable_range());
  out->set_server(info.server);
  out->set_state(info.state);
  out->set_stored_bytes(info.stored_bytes);
  out->set_memtable_bytes(info.memtable_bytes);
  out->set_sstable_count(info.sstable_count);
}

TabletInfo FromProto(const wire::TabletsReply::Tablet& tablet) {
  TabletInfo info;
  info.tablet_id = tablet.tablet_id();
  info.range = FromProto(tablet.range());
  info.server = tablet.server();
  info.state = tablet.state();
  info.stored_bytes = tablet.stored_bytes();
  info.memtable_bytes = tablet.memtable_bytes();
  info.sstable_count = tablet.sstable_count();
  return info;
}

void ToProto(const ChangesRequest& wanted, wire::ChangesRequest* out) {
  ToProto(wanted.partition, out->mutable_partition());
  if (wanted.start_us.has_value()) out->set_start_us(*wanted.start_us);
  ToProto(wanted.tokens, out->mutable_tokens());
  if (wanted.end_us.has_value()) out->set_end_us(*wanted.end_us);
}

ChangesRequest FromProto(const wire::ChangesRequest& request) {
  ChangesRequest wanted;
  wanted.partition = FromProto(request.partition());
  if (request.has_start_us()) wanted.start_us = request.start_us();
  wanted.tokens = FromProto(request.tokens());
  if (request.has_end_us()) wanted.end_us = request.end_us();
  return wanted;
}

void ToProto(const ChangeBatch& batch, wire::ChangesReply* out) {
  for (const Change& change : batch.changes) {
    wire::ChangesReply::Change* added = out->add_changes();
    added->set_mutation(EncodeMutation(change.mutation));
    added->set_commit_us(change.commit_us);
    added->set_token(change.token);
    added->set_low_watermark_us(change.low_watermark_us);
  }
  out->set_token(batch.token);
  out->set_low_watermark_us(batch.low_watermark_us);
  out->set_is_over(batch.is_over);
  for (const RowRange& rows : batch.new_partitions) ToProto(rows, out->add_new_partitions());
  ToProto(batch.tokens, out->mutable_tokens());
}

StatusOr<ChangeBatch> FromProto(const wire::ChangesReply& reply) {
  RETURN_IF_ERROR(FromProto(reply.failure()));
  ChangeBatch batch;
  for (const wire::ChangesReply::Change& change : reply.changes()) {
    // No limit on entries: the server replaces the deletion of a row by an entry for each family,
    // so a change may have more entries than a client may send.
    ASSIGN_OR_RETURN(RowMutation mutation,
                     DecodeMutation(change.mutation(), std::numeric_limits<size_t>::max()));
    batch.changes.push_back(
        {std::move(mutation), change.commit_us(), change.token(), change.low_watermark_us()});
  }
  batch.token = reply.token();
  batch.low_watermark_us = reply.low_watermark_us();
  batch.is_over = reply.is_over();
  for (const wire::Range& rows : reply.new_partitions()) {
    batch.new_partitions.push_back(FromProto(rows));
  }
  batch.tokens = FromProto(reply.tokens());
  return batch;
}

}  // namespace sippar::cluster
