// The data calls. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/wire/cell_batch.h"
#include "cluster/wire/store_service.h"
#include "cluster/wire/wire_codec.h"
#include "engine/base/limits.h"

namespace sippar::cluster {
namespace {

constexpr size_t kPieceSize = 1 << 20;                      // bytes of a batch in one message
constexpr size_t kReplySizeMax = 1 << 30;                   // protobuf allows less than 2 GiB
constexpr int kMutationsMax = limits::kMutationEntriesMax;  // most mutations in one call
// Longest silence of a change stream. Writing a message is how it notices that its reader is gone.
constexpr int64_t kBeatUs = 1'000'000;

// The mutations of a request that could be decoded, and their positions in it.
struct Batch {
  std::vector<RowMutation> mutations;
  std::vector<int> positions;
};

Batch DecodeMutations(const wire::ApplyRequest& request, wire::ApplyReply* reply) {
  Batch batch;
  for (int i = 0; i < request.mutations_size(); ++i) {
    reply->add_outcomes();
    auto mutation = DecodeMutation(request.mutations(i));
    if (!mutation.ok()) {
      ToProto(mutation.status(), reply->mutable_outcomes(i));
      continue;
    }
    batch.mutations.push_back(*std::move(mutation));
    batch.positions.push_back(i);
  }
  return batch;
}

Status DoCommitRow(DataApi* data, const wire::CommitRowRequest& request) {
  ASSIGN_OR_RETURN(RowMutation mutation, DecodeMutation(request.mutation()));
  std::vector<ReadCheck> checks;
  for (const wire::CommitRowRequest::Check& check : request.checks()) {
    ReadCheck& decoded = checks.emplace_back();
    ASSIGN_OR_RETURN(decoded.read, DecodeRead(check.read()));
    decoded.digest = check.digest();
  }
  return data->CommitRow(request.table(), mutation, checks);
}

StatusOr<std::string> DoUpdate(DataApi* data, const wire::UpdateRequest& request) {
  ASSIGN_OR_RETURN(engine::RowUpdate update, engine::RowUpdate::Decode(request.update()));
  ASSIGN_OR_RETURN(engine::RowUpdateResult result, data->Update(request.table(), update));
  std::string bytes = result.Encode();
  if (bytes.size() <= kReplySizeMax) return bytes;
  return ResourceExhausted(
      fmt::format("the row was changed, do not repeat the write; but its RETURNING has {} bytes "
                  "and the limit of an answer is {}",
                  bytes.size(), kReplySizeMax));
}

// Finds the place where a stream is cut when the server leaves: the end of the row that it is in
// when it first notices.
class RowEnd {
 public:
  explicit RowEnd(const std::atomic<bool>& is_cutting) : is_cutting_(is_cutting) {}
  // True if the stream is to end before `cell`, which begins a new row.
  bool IsBefore(const CellView& cell) {
    if (!is_cutting_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    if (row_.empty()) row_.assign(cell.row);
    return cell.row != row_;
  }

 private:
  const std::atomic<bool>& is_cutting_;
  std::string row_;
};

Status CutHere() { return Cancelled("the server leaves the store"); }

Status DoRead(DataApi* data, const wire::ReadRequest& request, const CallOptions& options,
              RowEnd row_end, grpc::ServerWriter<wire::ReadReply>* writer) {
  ASSIGN_OR_RETURN(ReadSpec read, DecodeRead(request.read()));
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, data->Read(request.table(), read, options));
  CellPacker packer([writer](std::string bytes, bool ends_row) {
    wire::ReadReply reply;
    reply.set_cells(std::move(bytes));
    reply.set_ends_row(ends_row);
    return writer->Write(reply);
  });
  bool is_cut = false;
  for (; cells->Valid() && !is_cut; cells->Next()) {
    is_cut = row_end.IsBefore(cells->cell());
    if (!is_cut && !packer.Add(cells->cell()))
      return Cancelled("the caller cancelled the read or disconnected");
  }
  bool ends_row = is_cut || cells->status().ok();
  if (!packer.Flush(ends_row)) return Cancelled("the caller cancelled the read or disconnected");
  return is_cut ? CutHere() : cells->status();
}

// Sends batches in pieces, because one row may have a value of any size.
class PieceSink final : public engine::ProgramSink {
 public:
  // `may_end`: once it is set, the run may end after any finished row, because the client can get
  // the rest from another server.
  PieceSink(grpc::ServerWriter<wire::RunReply>* writer, const std::atomic<bool>& may_end)
      : writer_(writer), may_end_(may_end) {}

  bool Emit(engine::ProgramBatch batch) override {
    bool has_row_end = !batch.last_row.empty();
    std::string bytes = EncodeBatch(batch);
    for (size_t at = 0; at < bytes.size(); at += kPieceSize) {
      wire::RunReply reply;
      reply.set_batch(bytes.substr(at, kPieceSize));
      reply.set_more(at + kPieceSize < bytes.size());
      if (!writer_->Write(reply)) return false;
    }
    is_cut_ = has_row_end && may_end_.load(std::memory_order_relaxed);
    return !is_cut_;
  }
  bool is_cut() const { return is_cut_; }

 private:
  grpc::ServerWriter<wire::RunReply>* writer_;
  const std::atomic<bool>& may_end_;
  bool is_cut_ = false;
};

Status DoRun(DataApi* data, const wire::RunRequest& request, const CallOptions& options,
             const std::atomic<bool>& is_cutting, grpc::ServerWriter<wire::RunReply>* writer) {
  static const std::atomic<bool> kNever{false};
  ASSIGN_OR_RETURN(engine::Program program, engine::Program::Decode(request.program()));
  // Results that depend on all rows cannot continue elsewhere, so such a run is not cut.
  bool in_order = !program.aggregate && program.order_by.empty();
  PieceSink sink(writer, in_order ? is_cutting : kNever);
  Status ended =
      data->Run(request.table(), FromProto(request.tablet_range()), program, options, &sink);
  return sink.is_cut() ? CutHere() : ended;
}

Status DoReadChanges(DataApi* data, const wire::ChangesRequest& request, const CallOptions& options,
                     grpc::ServerWriter<wire::ChangesReply>* writer) {
  ASSIGN_OR_RETURN(std::unique_ptr<ChangeStream> stream,
                   data->ReadChanges(request.table(), FromProto(request), options));
  // The first batch is sent at once, even if empty: the caller waits for it to learn whether the
  // request is valid.
  for (int64_t wait_us = 0;; wait_us = kBeatUs) {
    ASSIGN_OR_RETURN(ChangeBatch batch, stream->Next(wait_us));
    wire::ChangesReply reply;
    ToProto(batch, &reply);
    if (!writer->Write(reply)) return Cancelled("the caller cancelled the read or disconnected");
    if (batch.is_over) return OkStatus();
  }
}

grpc::Status Leaves() { return {grpc::StatusCode::UNAVAILABLE, "it leaves the store"}; }

}  // namespace

grpc::Status StoreService::Apply(Context*, const wire::ApplyRequest* request,
                                 wire::ApplyReply* reply) {
  ++calls_begun_;
  if (request->mutations_size() > kMutationsMax) {
    return {grpc::StatusCode::INVALID_ARGUMENT,
            fmt::format("{} mutations in a call; the limit is {}", request->mutations_size(),
                        kMutationsMax)};
  }
  Batch batch = DecodeMutations(*request, reply);
  std::vector<Status> statuses = client_->data()->ApplyBatch(request->table(), batch.mutations);
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (!statuses[i].ok()) ToProto(statuses[i], reply->mutable_outcomes(batch.positions[i]));
  }
  return grpc::Status::OK;
}

grpc::Status StoreService::Update(Context*, const wire::UpdateRequest* request,
                                  wire::UpdateReply* reply) {
  ++calls_begun_;
  auto result = DoUpdate(client_->data(), *request);
  ToProto(result.status(), reply->mutable_outcome());
  if (result.ok()) reply->set_result(*std::move(result));
  return grpc::Status::OK;
}

grpc::Status StoreService::CommitRow(Context*, const wire::CommitRowRequest* request,
                                     wire::DoneReply* reply) {
  ++calls_begun_;
  ToProto(DoCommitRow(client_->data(), *request), reply->mutable_outcome());
  return grpc::Status::OK;
}

bool StoreService::IsCut(const Status& ended, Context* context) const {
  return ended.code() == StatusCode::kCancelled && is_cutting_ && !context->IsCancelled();
}

grpc::Status StoreService::Read(Context* context, const wire::ReadRequest* request,
                                grpc::ServerWriter<wire::ReadReply>* writer) {
  ++calls_begun_;
  CallGate::Pass pass(&streams_);
  if (!pass.is_open()) return Leaves();
  // "Endless" only because Leave cancels the rest after it has waited for reads.
  CallWatch::Scope scope(&watch_, context, /*is_endless=*/true);
  engine::ReadCounters counters;
  Status status =
      DoRead(client_->data(), *request, {scope.cancel(), request->timeout_us(), &counters},
             RowEnd(is_cutting_), writer);
  if (IsCut(status, context)) return Leaves();
  wire::ReadReply last;
  ToProto(status, last.mutable_end()->mutable_outcome());
  ToProto(counters, last.mutable_end());
  writer->WriteLast(last, grpc::WriteOptions());
  return grpc::Status::OK;
}

grpc::Status StoreService::Run(Context* context, const wire::RunRequest* request,
                               grpc::ServerWriter<wire::RunReply>* writer) {
  ++calls_begun_;
  CallGate::Pass pass(&streams_);
  if (!pass.is_open()) return Leaves();
  CallWatch::Scope scope(&watch_, context, /*is_endless=*/true);  // see Read
  engine::ReadCounters counters;
  Status status = DoRun(client_->data(), *request,
                        {scope.cancel(), request->timeout_us(), &counters}, is_cutting_, writer);
  if (IsCut(status, context)) return Leaves();
  wire::RunReply last;
  ToProto(status, last.mutable_end()->mutable_outcome());
  ToProto(counters, last.mutable_end());
  writer->WriteLast(last, grpc::WriteOptions());
  return grpc::Status::OK;
}

grpc::Status StoreService::ReadChanges(Context* context, const wire::ChangesRequest* request,
                                       grpc::ServerWriter<wire::ChangesReply>* writer) {
  CallWatch::Scope scope(&watch_, context, /*is_endless=*/true);
  Status status = DoReadChanges(client_->data(), *request, {scope.cancel()}, writer);
  if (status.ok()) return grpc::Status::OK;
  if (status.code() == StatusCode::kCancelled && !context->IsCancelled()) return Leaves();
  wire::ChangesReply last;
  ToProto(status, last.mutable_failure());
  writer->WriteLast(last, grpc::WriteOptions());
  return grpc::Status::OK;
}

grpc::Status StoreService::Tablets(Context*, const wire::TableRequest* request,
                                   wire::TabletsReply* reply) {
  auto tablets = client_->data()->Tablets(request->table());
  ToProto(tablets.status(), reply->mutable_outcome());
  if (!tablets.ok()) return grpc::Status::OK;
  for (const TabletInfo& tablet : *tablets) ToProto(tablet, reply->add_tablets());
  return grpc::Status::OK;
}

grpc::Status StoreService::TabletRanges(Context*, const wire::TableRequest* request,
                                        wire::TabletsReply* reply) {
  ++calls_begun_;
  auto ranges = client_->data()->TabletRanges(request->table());
  ToProto(ranges.status(), reply->mutable_outcome());
  if (!ranges.ok()) return grpc::Status::OK;
  for (const RowRange& range : *ranges) ToProto(range, reply->add_tablets()->mutable_range());
  return grpc::Status::OK;
}

}  // namespace sippar::cluster
