// The streams. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/wire/cell_batch.h"
#include "cluster/wire/program_batch.h"
#include "cluster/wire/store_service.h"
#include "cluster/wire/stream_end.h"

namespace sippar::cluster {
namespace {

constexpr size_t kPieceSize = 1 << 20;  // bytes of a batch in one message
// Longest silence of a change stream. Writing a message is how it notices that its reader is gone.
constexpr int64_t kBeatUs = 1'000'000;

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

Status Damaged(std::string_view what) {
  return InvalidArgument(
      fmt::format("the {} cannot be decoded; use the same sippar for server and client", what));
}

Status CallerLeft() { return Cancelled("the caller cancelled the read or disconnected"); }

Status CutHere() { return Cancelled("the server leaves the store"); }

Status DoRead(DataApi* data, const wire::ReadRequest& request, const CallOptions& options,
              RowEnd row_end, grpc::ServerWriter<wire::ReadReply>* writer) {
  ReadSpec read;
  if (!DecodeValue(request.read(), &read)) return Damaged("read request");
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
    if (!is_cut && !packer.Add(cells->cell())) return CallerLeft();
  }
  bool ends_row = is_cut || cells->status().ok();
  if (!packer.Flush(ends_row)) return CallerLeft();
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
  RowRange tablet_range;
  if (!DecodeValue(request.tablet_range(), &tablet_range)) return Damaged("tablet range");
  // Results that depend on all rows cannot continue elsewhere, so such a run is not cut.
  bool in_order = !program.aggregate && program.order_by.empty();
  PieceSink sink(writer, in_order ? is_cutting : kNever);
  Status ended = data->Run(request.table(), tablet_range, program, options, &sink);
  return sink.is_cut() ? CutHere() : ended;
}

Status DoReadChanges(DataApi* data, const wire::ChangesRequest& request, const CallOptions& options,
                     grpc::ServerWriter<wire::ChangesReply>* writer) {
  ChangesRequest wanted;
  if (!DecodeValue(request.wanted(), &wanted)) return Damaged("request for changes");
  ASSIGN_OR_RETURN(std::unique_ptr<ChangeStream> stream,
                   data->ReadChanges(request.table(), wanted, options));
  // The first batch is sent at once, even if empty: the caller waits for it to learn whether the
  // request is valid.
  for (int64_t wait_us = 0;; wait_us = kBeatUs) {
    ASSIGN_OR_RETURN(ChangeBatch batch, stream->Next(wait_us));
    wire::ChangesReply reply;
    reply.set_batch(EncodeValue(batch));
    if (!writer->Write(reply)) return CallerLeft();
    if (batch.is_over) return OkStatus();
  }
}

grpc::Status Leaves() { return {grpc::StatusCode::UNAVAILABLE, "the server leaves the store"}; }

}  // namespace

bool StoreService::IsCut(const Status& ended, Context* context) const {
  return ended.code() == StatusCode::kCancelled && is_cutting_ && !context->IsCancelled();
}

template <class Reply, class Work>
grpc::Status StoreService::Stream(Context* context, int64_t timeout_us,
                                  grpc::ServerWriter<Reply>* writer, const Work& work) {
  ++calls_begun_;
  CallGate::Pass pass(&streams_);
  if (!pass.is_open()) return Leaves();
  // "Endless" only because Leave cancels the rest after it has waited for reads.
  CallWatch::Scope scope(&watch_, context, /*is_endless=*/true);
  StreamEnd end;
  end.outcome = work({scope.cancel(), timeout_us, &end.counters});
  if (IsCut(end.outcome, context)) return Leaves();
  Reply last;
  last.set_end(EncodeValue(end));
  writer->WriteLast(last, grpc::WriteOptions());
  return grpc::Status::OK;
}

grpc::Status StoreService::Read(Context* context, const wire::ReadRequest* request,
                                grpc::ServerWriter<wire::ReadReply>* writer) {
  return Stream(context, request->timeout_us(), writer, [&](const CallOptions& options) {
    return DoRead(client_->data(), *request, options, RowEnd(is_cutting_), writer);
  });
}

grpc::Status StoreService::Run(Context* context, const wire::RunRequest* request,
                               grpc::ServerWriter<wire::RunReply>* writer) {
  return Stream(context, request->timeout_us(), writer, [&](const CallOptions& options) {
    return DoRun(client_->data(), *request, options, is_cutting_, writer);
  });
}

grpc::Status StoreService::ReadChanges(Context* context, const wire::ChangesRequest* request,
                                       grpc::ServerWriter<wire::ChangesReply>* writer) {
  CallWatch::Scope scope(&watch_, context, /*is_endless=*/true);
  Status status = DoReadChanges(client_->data(), *request, {scope.cancel()}, writer);
  if (status.ok()) return grpc::Status::OK;
  if (status.code() == StatusCode::kCancelled && !context->IsCancelled()) return Leaves();
  wire::ChangesReply last;
  last.set_failure(EncodeValue(status));
  writer->WriteLast(last, grpc::WriteOptions());
  return grpc::Status::OK;
}

}  // namespace sippar::cluster
