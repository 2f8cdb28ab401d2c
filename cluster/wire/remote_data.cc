// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/remote_data.h"

#include <fmt/format.h>

#include "cluster/wire/call_failure.h"
#include "cluster/wire/cell_batch.h"
#include "cluster/wire/remote_changes.h"
#include "cluster/wire/reply_stream.h"
#include "cluster/wire/wire_codec.h"

namespace sippar::cluster {
namespace {

using Stub = wire::Store::Stub;

// Limits of one call of Apply; a larger batch is sent in several. One mutation may exceed the bytes
// and then goes alone.
constexpr size_t kBatchBytes = 4 << 20;
constexpr int kBatchMutations = 10'000;

Status Damaged(std::string_view what) {
  return Internal(fmt::format("the server's answer cannot be decoded: {}", what));
}

void AddEnd(const wire::ReadEnd& end, engine::ReadCounters* counters) {
  if (counters != nullptr) AddCounters(end, counters);
}

class RemoteCells final : public CellStream {
 public:
  RemoteCells(std::shared_ptr<StoreConnection> connection, const wire::ReadRequest& request,
              const CallOptions& options)
      : replies_(std::move(connection), &Stub::AsyncRead, request, options),
        counters_(options.counters) {
    Next();
  }

  bool Valid() const override { return is_valid_; }
  const CellView& cell() const override { return cells_.cell(); }
  Status status() const override { return status_; }

  void Next() override {
    while (true) {
      auto found = cells_.Next();
      is_valid_ = found.ok() && *found;
      if (is_valid_) return;
      if (!found.ok()) return End(found.status());
      if (!replies_.Next(&reply_)) return Break();
      if (reply_.has_end()) return TakeEnd(reply_.end());
      ends_row_ = reply_.ends_row();
      cells_.Take(std::move(*reply_.mutable_cells()));
    }
  }

  void NextRow() override {
    // A copy, because Next invalidates the views of the cell.
    std::string row(cell().row);
    while (is_valid_ && cell().row == row) Next();
  }

 private:
  void TakeEnd(const wire::ReadEnd& end) {
    AddEnd(end, counters_);
    is_told_ = true;
    End(FromProto(end.outcome()));
  }
  // The stream broke off without its end message.
  void Break() {
    Status status = replies_.status();
    if (!status.ok() && ends_row_) MarkFailure(kRowIsWhole, &status);
    End(status);
  }
  void End(const Status& status) {
    is_valid_ = false;
    status_ = status;
    // A stream that ends without the server's end message, or within a cell, is not complete even
    // if gRPC reports OK.
    if (status.ok() && (!is_told_ || cells_.is_within_cell())) status_ = Damaged("it has no end");
  }

  ReplyStream<wire::ReadReply> replies_;
  engine::ReadCounters* const counters_;
  wire::ReadReply reply_;
  CellUnpacker cells_;
  bool is_valid_ = false;
  bool is_told_ = false;   // the server has said how the read ended
  bool ends_row_ = false;  // the last message ended with a whole row
  Status status_;
};

void ToProto(const RowMutation& mutation, wire::ApplyRequest* out) {
  out->add_mutations(EncodeMutation(mutation));
}

}  // namespace

Status RemoteData::Apply(const std::string& table, const RowMutation& mutation) {
  wire::ApplyRequest request;
  request.set_table(table);
  ToProto(mutation, &request);
  wire::ApplyReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::Apply, request, Effect::kUnknown, &reply));
  if (reply.outcomes_size() != 1) return Damaged("outcomes");
  return FromProto(reply.outcomes(0));
}

std::vector<Status> RemoteData::ApplyBatch(const std::string& table,
                                           const std::vector<RowMutation>& batch) {
  std::vector<Status> statuses;
  wire::ApplyRequest request;
  size_t bytes = 0;
  auto send = [&] {
    request.set_table(table);
    wire::ApplyReply reply;
    Status called = connection_->Call(&Stub::Apply, request, Effect::kUnknown, &reply);
    if (called.ok() && reply.outcomes_size() != request.mutations_size()) {
      called = Damaged("outcomes");
    }
    // Without an answer each write of this call has an unknown outcome; earlier calls keep theirs.
    for (int i = 0; i < request.mutations_size(); ++i) {
      statuses.push_back(called.ok() ? FromProto(reply.outcomes(i)) : called);
    }
    request.Clear();
    bytes = 0;
  };
  for (const RowMutation& mutation : batch) {
    std::string encoded = EncodeMutation(mutation);
    bool is_full =
        bytes + encoded.size() > kBatchBytes || request.mutations_size() == kBatchMutations;
    if (is_full && request.mutations_size() > 0) send();
    bytes += encoded.size();
    request.add_mutations(std::move(encoded));
  }
  if (request.mutations_size() > 0) send();
  return statuses;
}

StatusOr<std::unique_ptr<CellStream>> RemoteData::Read(const std::string& table,
                                                       const ReadSpec& read,
                                                       const CallOptions& options) {
  wire::ReadRequest request;
  request.set_table(table);
  request.set_read(EncodeRead(read));
  request.set_timeout_us(options.timeout_us);
  auto cells = std::make_unique<RemoteCells>(connection_, request, options);
  if (!cells->Valid()) RETURN_IF_ERROR(cells->status());
  return std::unique_ptr<CellStream>(std::move(cells));
}

Status RemoteData::Run(const std::string& table, const RowRange& tablet_range,
                       const engine::Program& program, const CallOptions& options,
                       engine::ProgramSink* sink) {
  wire::RunRequest request;
  request.set_table(table);
  cluster::ToProto(tablet_range, request.mutable_tablet_range());
  request.set_program(program.Encode());
  request.set_timeout_us(options.timeout_us);
  ReplyStream<wire::RunReply> replies(connection_, &Stub::AsyncRun, request, options);
  wire::RunReply reply;
  std::string pieces;
  while (replies.Next(&reply)) {
    if (reply.has_end()) {
      AddEnd(reply.end(), options.counters);
      return FromProto(reply.end().outcome());
    }
    // A batch may come in several messages; only the last one makes it complete.
    pieces += reply.batch();
    if (reply.more()) continue;
    auto batch = DecodeBatch(pieces);
    if (!batch.ok()) return Damaged(MessageOf(batch.status()));
    pieces.clear();
    if (!sink->Emit(*std::move(batch))) return OkStatus();
  }
  RETURN_IF_ERROR(replies.status());
  return Damaged("it has no end");
}

StatusOr<engine::RowUpdateResult> RemoteData::Update(const std::string& table,
                                                     const engine::RowUpdate& update) {
  wire::UpdateRequest request;
  request.set_table(table);
  request.set_update(update.Encode());
  wire::UpdateReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::Update, request, Effect::kUnknown, &reply));
  RETURN_IF_ERROR(FromProto(reply.outcome()));
  auto result = engine::RowUpdateResult::Decode(reply.result());
  if (!result.ok()) return Damaged(MessageOf(result.status()));
  return result;
}

Status RemoteData::CommitRow(const std::string& table, const RowMutation& mutation,
                             const std::vector<ReadCheck>& checks) {
  wire::CommitRowRequest request;
  request.set_table(table);
  request.set_mutation(EncodeMutation(mutation));
  for (const ReadCheck& check : checks) {
    wire::CommitRowRequest::Check* encoded = request.add_checks();
    encoded->set_read(EncodeRead(check.read));
    encoded->set_digest(check.digest);
  }
  wire::DoneReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::CommitRow, request, Effect::kUnknown, &reply));
  return FromProto(reply.outcome());
}

StatusOr<std::vector<TabletInfo>> RemoteData::Tablets(const std::string& table) {
  wire::TableRequest request;
  request.set_table(table);
  wire::TabletsReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::Tablets, request, Effect::kNone, &reply));
  RETURN_IF_ERROR(FromProto(reply.outcome()));
  std::vector<TabletInfo> tablets;
  for (const auto& tablet : reply.tablets()) tablets.push_back(FromProto(tablet));
  return tablets;
}

StatusOr<std::vector<RowRange>> RemoteData::TabletRanges(const std::string& table) {
  wire::TableRequest request;
  request.set_table(table);
  wire::TabletsReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::TabletRanges, request, Effect::kNone, &reply));
  RETURN_IF_ERROR(FromProto(reply.outcome()));
  std::vector<RowRange> ranges;
  for (const auto& tablet : reply.tablets()) ranges.push_back(FromProto(tablet.range()));
  return ranges;
}

StatusOr<std::unique_ptr<ChangeStream>> RemoteData::ReadChanges(const std::string& table,
                                                                const ChangesRequest& wanted,
                                                                const CallOptions& options) {
  return OpenRemoteChanges(connection_, table, wanted, options);
}

}  // namespace sippar::cluster
