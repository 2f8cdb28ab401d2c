// Reads of rows. SPDX-License-Identifier: Apache-2.0
#include "cluster/rpc/row_reads.h"

#include <fmt/format.h>
#include <grpcpp/support/async_stream.h>

#include "cluster/rpc/call_trace.h"
#include "cluster/rpc/client_features.h"
#include "cluster/rpc/filter_convert.h"
#include "cluster/rpc/raw_message.h"
#include "cluster/rpc/read_rows.h"
#include "cluster/rpc/request_size.h"
#include "cluster/rpc/request_target.h"
#include "cluster/rpc/status_codes.h"
#include "engine/base/wake_up.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;

constexpr size_t kThreadsMax = 512;       // each call has one; more are refused at once
constexpr size_t kShortBytes = 64 << 10;  // of a request; larger ones take time to parse

bool TakesScannedRows(const grpc::ServerContext& context) {
  const auto& headers = context.client_metadata();
  auto found = headers.find("bigtable-features");
  if (found == headers.end()) return false;
  return ClientFeatures({found->second.data(), found->second.size()}).last_scanned_row_responses();
}

// The Go client takes the end of a message for the end of a row.
bool WantsWholeRows(const grpc::ServerContext& context) {
  const auto& headers = context.client_metadata();
  auto found = headers.find("user-agent");
  return found != headers.end() && found->second.find("grpc-go/") != grpc::string_ref::npos;
}

StatusOr<RowsRequest> RowsRequestOf(Client* client, const v2::ReadRowsRequest& request) {
  RETURN_IF_ERROR(CheckPlainSize(request));
  if (!request.materialized_view_name().empty()) {
    return Unimplemented("materialized_view_name: materialized views are not there yet");
  }
  ASSIGN_OR_RETURN(RequestTarget target, TargetOf(client, request));
  RowsRequest rows;
  rows.table = std::move(target.table);
  rows.families = target.rules.schema->FamilyNames();
  rows.view = std::move(target.view);
  ASSIGN_OR_RETURN(rows.rows, RowSetFromProto(request.rows()));
  ASSIGN_OR_RETURN(rows.filter, FilterFromProto(request.filter()));
  if (request.rows_limit() < 0) {
    return InvalidArgument(
        fmt::format("rows_limit is {}; it may not be negative", request.rows_limit()));
  }
  rows.rows_limit = request.rows_limit();
  rows.reversed = request.reversed();
  rows.with_stats = request.request_stats_view() == v2::ReadRowsRequest::REQUEST_STATS_FULL;
  return rows;
}

// Of one row, and one message that says all.
bool IsShort(const v2::ReadRowsRequest& request) {
  return request.rows().row_keys_size() == 1 && request.rows().row_ranges_size() == 0 &&
         request.request_stats_view() != v2::ReadRowsRequest::REQUEST_STATS_FULL;
}

}  // namespace

// Ends when its last message was sent and gRPC has said that it is over, in any order.
struct RowReads::Call {
  struct Event final : CallEvent {
    Event(Call* of, void (Call::*then)(bool)) : call(of), on(then) {}
    void Happened(bool ok) override { (call->*on)(ok); }
    Call* const call;
    void (Call::*const on)(bool);
  };

  Call(RowReads* of, CallLoop* loop) : reads(of), guest(loop) {
    context.AsyncNotifyWhenDone(over.Tag());
  }

  void Came(bool ok) {
    if (!ok) {  // the server ends, and will not say that this is over
      delete this;
      return;
    }
    trace = TraceOf(&context);
    reads->Await(guest.loop());
    reads->Take(this);
  }
  void IsOver(bool) {
    if (context.IsCancelled()) *cancel = true;
    Leave();
  }
  void WasSent(bool ok) {
    if (is_last) return Leave();
    was_sent = ok;
    sent_one.Notify();
  }
  void Leave() {
    if (holders.fetch_sub(1) == 1) delete this;
  }

  // Waits while the reader is slow; false: it is gone. The last message goes with the status.
  bool Write(const v2::ReadRowsResponse& response, bool is_last_message) {
    if (is_last_message) {
      last = ToBytes(response);
      return true;
    }
    writer.Write(ToBytes(response), sent.Tag());
    sent_one.Wait();
    return was_sent;
  }
  Status Parse() {
    if (bytes.Length() == 0) return OkStatus();  // parsed, or a request without anything
    return FromBytes(&bytes, &request);
  }
  Status Read(const RowChunks::Writer& write) {
    RETURN_IF_ERROR(Parse());
    ASSIGN_OR_RETURN(RowsRequest rows, RowsRequestOf(reads->client_, request));
    rows.takes_scanned_rows = TakesScannedRows(context);
    CallOptions options;
    options.cancel = cancel;
    RowChunks chunks(write, WantsWholeRows(context));
    Client* client = reads->client_;
    return ReadRows(client->data(), client->clock(), rows, options, &chunks);
  }
  // Nothing may touch it afterwards.
  void Finish(const Status& status) {
    is_last = true;
    if (last.has_value()) {
      writer.WriteAndFinish(*last, {}, ToGrpc(status), sent.Tag());
    } else {
      writer.Finish(ToGrpc(status), sent.Tag());
    }
  }

  RowReads* const reads;
  const CallLoop::Guest guest;
  grpc::ServerContext context;
  grpc::ByteBuffer bytes;  // of the request
  v2::ReadRowsRequest request;
  grpc::ServerAsyncWriter<grpc::ByteBuffer> writer{&context};
  TracedCall* trace = nullptr;
  const CancelFlag cancel = std::make_shared<std::atomic<bool>>(false);
  std::optional<grpc::ByteBuffer> last;
  std::atomic<bool> is_last = false;  // what is sent now
  bool was_sent = false;
  engine::WakeUp sent_one;
  std::atomic<int> holders = 2;
  Event came{this, &Call::Came};
  Event over{this, &Call::IsOver};
  Event sent{this, &Call::WasSent};
};

RowReads::RowReads(Client* client, AsyncDataService* service)
    : client_(client), service_(service), threads_("row-reads", kThreadsMax) {}
RowReads::~RowReads() = default;

void RowReads::Await(CallLoop* loop) {
  auto* call = new Call(this, loop);
  service_->RequestReadRows(&call->context, &call->bytes, &call->writer, loop->queue(),
                            loop->queue(), call->came.Tag());
}

void RowReads::Take(Call* call) {
  if (call->bytes.Length() <= kShortBytes && ReadOnLoop(call)) return;
  bool has_thread = threads_.Run([call] {
    TraceScope scope(call->trace);
    call->Finish(call->Read([call](const v2::ReadRowsResponse& response, bool is_last) {
      return call->Write(response, is_last);
    }));
  });
  if (has_thread) return;
  call->Finish(
      ResourceExhausted(fmt::format("{} reads are under way; try again soon", kThreadsMax)));
}

// False: it takes time, or its answer is too large; nothing was sent.
bool RowReads::ReadOnLoop(Call* call) {
  CallLoop::Absence absence(call->guest.loop());
  if (!absence.is_granted() || !call->Parse().ok() || !IsShort(call->request)) return false;
  bool is_large = false;
  Status status;
  {
    TraceScope scope(call->trace);
    status = call->Read([&](const v2::ReadRowsResponse& response, bool is_last) {
      is_large |= !is_last;
      return !is_large && call->Write(response, is_last);
    });
  }
  if (is_large) {
    call->last.reset();
    return false;
  }
  call->Finish(status);
  return true;
}

}  // namespace sippar::cluster
