// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/query_batches.h"

#include <algorithm>

#include "cluster/bigtable/query_convert.h"
#include "cluster/bigtable/row_chunks.h"
#include "engine/base/crc32c.h"

namespace sippar::cluster {
namespace {

// A batch of up to this size is sent in one message. A batch exceeds kMessageSize by at most one
// row, so only a batch with a large row is cut.
constexpr size_t kPieceSizeMax = 2 * kMessageSize;
// If no message was sent for this time, gathered rows are due.
constexpr int64_t kSilenceNanosMax = 200'000'000;

}  // namespace

Status QueryBatches::Put(const engine::Row& row) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    google::bigtable::v2::Value* value = rows_.add_values();
    Status status = ValueToProto(row[i], columns_[i].type, value);
    if (!status.ok()) return Annotate(status, "column " + columns_[i].name);
    size_ += value->ByteSizeLong() + 4;
  }
  return OkStatus();
}

bool QueryBatches::IsDue() {
  return size_ >= kMessageSize ||
         (size_ > 0 && clock_->MonotonicNanos() - sent_nanos_ >= kSilenceNanosMax);
}

Status QueryBatches::Send(const std::string& resume_token) {
  std::string batch = rows_.SerializeAsString();
  rows_.Clear();
  size_ = 0;
  google::bigtable::v2::ExecuteQueryResponse response;
  for (size_t at = 0;;) {
    auto* results = response.mutable_results();
    results->Clear();
    // The first message of a stream tells the client to drop what it got after its last token: this
    // stream repeats those rows.
    results->set_reset(std::exchange(is_first_, false));
    if (at < batch.size()) {
      size_t size = std::min(batch.size() - at, kPieceSizeMax);
      results->mutable_proto_rows_batch()->set_batch_data(batch.data() + at, size);
      at += size;
    }
    bool is_last = at == batch.size();
    // The checksum ends a batch and the token commits it, so both go with the last piece only.
    if (is_last && !batch.empty()) results->set_batch_checksum(engine::Crc32c(batch));
    if (is_last) results->set_resume_token(resume_token);
    if (!write_(response)) return Cancelled("the caller cancelled the query or disconnected");
    if (is_last) break;
  }
  sent_nanos_ = clock_->MonotonicNanos();
  return OkStatus();
}

}  // namespace sippar::cluster
