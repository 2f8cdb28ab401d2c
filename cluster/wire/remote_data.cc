// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/remote_data.h"

#include <fmt/format.h>

#include "cluster/api/call_time.h"
#include "cluster/wire/call_failure.h"
#include "cluster/wire/cell_batch.h"
#include "cluster/wire/program_batch.h"
#include "cluster/wire/remote_changes.h"
#include "cluster/wire/reply_stream.h"
#include "cluster/wire/stream_end.h"
#include "cluster/wire/write_parts.h"

namespace sippar::cluster {
namespace {

using Stub = wire::Store::Stub;

Status Damaged(std::string_view what) {
  return Internal(fmt::format(
      "the server's answer cannot be decoded ({}); use the same sippar for server and client",
      what));
}

// Takes the last message of a stream: adds its counters and returns the outcome.
Status TakeEnd(const std::string& bytes, engine::ReadCounters* counters) {
  StreamEnd end;
  if (!DecodeValue(bytes, &end)) return Damaged("end");
  if (counters != nullptr) counters->Add(end.counters);
  return end.outcome;
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
      if (reply_.has_end()) {
        is_told_ = true;
        return End(TakeEnd(reply_.end(), counters_));
      }
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

}  // namespace

template <class Call>
Answer<Call> RemoteData::Send(const Call& call, const CallOptions& options) {
  Answer<Call> answer;
  TakeReply(connection_->Carry(Call::kRule, EncodeValue(call), options),
            AnyCall(Pending<Call>{call, answer}));
  return answer;
}

void RemoteData::Carry(const AnyCall& any, const CallOptions& options) {
  auto perform = [&]<class Call>(const Call& asked) -> Answer<Call> {
    if constexpr (requires { asked.batch; }) {
      return SendInParts(
          asked, CallTime(clock_, options),
          [this](const Call& part, const CallOptions& left) { return Send(part, left); });
    } else {
      if constexpr (requires { asked.mutation; }) RETURN_IF_ERROR(CheckEntries(*asked.mutation));
      return Send(asked, options);
    }
  };
  AnswerBy(any, perform);
}

StatusOr<std::unique_ptr<CellStream>> RemoteData::Read(const std::string& table,
                                                       const ReadSpec& read,
                                                       const CallOptions& options) {
  wire::ReadRequest request;
  request.set_table(table);
  request.set_read(EncodeValue(read));
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
  request.set_tablet_range(EncodeValue(tablet_range));
  request.set_program(program.Encode());
  request.set_timeout_us(options.timeout_us);
  ReplyStream<wire::RunReply> replies(connection_, &Stub::AsyncRun, request, options);
  wire::RunReply reply;
  std::string pieces;
  while (replies.Next(&reply)) {
    if (reply.has_end()) return TakeEnd(reply.end(), options.counters);
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

StatusOr<std::unique_ptr<ChangeStream>> RemoteData::ReadChanges(const std::string& table,
                                                                const ChangesRequest& wanted,
                                                                const CallOptions& options) {
  return OpenRemoteChanges(connection_, table, wanted, options);
}

}  // namespace sippar::cluster
