// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/remote_changes.h"

#include <utility>

#include "cluster/api/row_codec.h"
#include "cluster/wire/reply_stream.h"

namespace sippar::cluster {
namespace {

class RemoteChanges final : public ChangeStream {
 public:
  RemoteChanges(std::shared_ptr<StoreConnection> connection, const wire::ChangesRequest& request,
                const CallOptions& options)
      : replies_(std::move(connection), &wire::Store::Stub::AsyncReadChanges, request, options) {}

  // Waits for the server's first batch, which it sends at once, or for its error: so an invalid
  // request fails where the stream is opened.
  Status Open() { return Take(gpr_inf_future(GPR_CLOCK_MONOTONIC)).status(); }

  StatusOr<ChangeBatch> Next(int64_t wait_us) override {
    const gpr_timespec limit =
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(wait_us, GPR_TIMESPAN));
    // Batches without changes are the server's signs of life; only their positions count.
    while (ahead_.changes.empty() && !ahead_.is_over) {
      ASSIGN_OR_RETURN(bool has_come, Take(limit));
      if (!has_come) break;
    }
    ChangeBatch batch = std::exchange(ahead_, {});
    ahead_.token = batch.token;
    ahead_.low_watermark_us = batch.low_watermark_us;
    return batch;
  }

 private:
  // Takes the next message into ahead_. False: none came until `limit`.
  StatusOr<bool> Take(gpr_timespec limit) {
    wire::ChangesReply reply;
    std::optional<bool> has_come = replies_.NextUntil(limit, &reply);
    if (!has_come.has_value()) return false;
    if (*has_come) {
      Status failure;
      ahead_ = {};
      bool is_valid = reply.has_failure() ? DecodeValue(reply.failure(), &failure)
                                          : DecodeValue(reply.batch(), &ahead_);
      RETURN_IF_ERROR(failure);
      if (is_valid) return true;
      return Internal(
          "the server's answer cannot be decoded (changes); use the same sippar for server and "
          "client");
    }
    RETURN_IF_ERROR(replies_.status());
    return Internal("the server's stream of changes was cut off");
  }

  ReplyStream<wire::ChangesReply> replies_;
  ChangeBatch ahead_;  // the next batch to return; without changes it holds the position alone
};

}  // namespace

StatusOr<std::unique_ptr<ChangeStream>> OpenRemoteChanges(
    std::shared_ptr<StoreConnection> connection, const std::string& table,
    const ChangesRequest& wanted, const CallOptions& options) {
  wire::ChangesRequest request;
  request.set_table(table);
  request.set_wanted(EncodeValue(wanted));
  auto changes = std::make_unique<RemoteChanges>(std::move(connection), request, options);
  RETURN_IF_ERROR(changes->Open());
  return std::unique_ptr<ChangeStream>(std::move(changes));
}

}  // namespace sippar::cluster
