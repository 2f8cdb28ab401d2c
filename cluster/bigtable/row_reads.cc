// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/row_reads.h"

#include <fmt/format.h>
#include <grpcpp/support/async_stream.h>

#include <algorithm>
#include <cstdlib>

#include "cluster/bigtable/client_features.h"
#include "cluster/bigtable/filter_convert.h"
#include "cluster/bigtable/find_table.h"
#include "cluster/bigtable/read_rows.h"
#include "cluster/grpc/call_deadline.h"
#include "cluster/grpc/call_trace.h"
#include "cluster/grpc/raw_message.h"
#include "cluster/grpc/request_size.h"
#include "cluster/grpc/status_codes.h"
#include "engine/base/wake_up.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;

constexpr size_t kThreadsMax = 512;          // a read has one while it works or is Parked
constexpr size_t kAtWorkMax = 32;            // working reads; each may hold a value and its message
constexpr int64_t kHeldMax = 192 << 20;      // no read begins while as many bytes are held
constexpr int64_t kHeldOfMax = 96 << 20;     // the same for the bytes of one connection
constexpr int64_t kSmallBytes = 16 << 10;    // smaller amounts do not count toward kHeldOfMax
constexpr int64_t kLineMicros = 30'000'000;  // longest wait in the queue
constexpr size_t kShortBytes = 64 << 10;     // a larger request takes too long to parse on the loop

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
    return Unimplemented("materialized_view_name: materialized views are not supported");
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

// True for a read of one row whose reply may be a single message.
bool IsShort(const v2::ReadRowsRequest& request) {
  return request.rows().row_keys_size() == 1 && request.rows().row_ranges_size() == 0 &&
         request.request_stats_view() != v2::ReadRowsRequest::REQUEST_STATS_FULL;
}

}  // namespace

// Marks a read as waiting for its caller to take a message; another read may begin in its place.
// Afterwards the read continues at once, even if more than kAtWorkMax reads then work. It holds its
// memory until it ends, and a further wait would only hold it longer.
class RowReads::Parked {
 public:
  Parked(RowReads* reads, Call* call, int64_t bytes);
  ~Parked();
  Parked(const Parked&) = delete;
  Parked& operator=(const Parked&) = delete;

 private:
  RowReads* const reads_;
  Call* const call_;
  const int64_t bytes_;
};

// One call. It deletes itself after two events: its last message was sent, and gRPC has reported
// that the call is over (`over`). They come in either order; `holders` counts those still to come.
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
    // Not ok: the server shuts down before a call has come. gRPC then never reports `over`.
    if (!ok) {
      delete this;
      return;
    }
    reads->Await(guest.loop());
    reads->Take(this);
  }
  void IsOver(bool) {
    if (context.IsCancelled()) *cancel = true;
    Leave();
  }
  void WasSent(bool ok) {
    if (is_last) {
      if (last.has_value()) reads->Hold(this, -static_cast<int64_t>(last_bytes));
      return Leave();
    }
    was_sent = ok;
    sent_one.Notify();
  }
  void Leave() {
    if (holders.fetch_sub(1) == 1) delete this;
  }

  // Sends a message and waits until the reader takes it; false: the reader is gone. The last
  // message is kept to be sent with the status.
  bool Write(const v2::ReadRowsResponse& response, bool is_last_message) {
    if (is_last_message) {
      last = ToBytes(response);
      return true;
    }
    grpc::ByteBuffer message = ToBytes(response);
    // Counts twice the message's size, because the read also holds the next cell, which may be as
    // large as the message.
    Parked parked(reads, this, 2 * static_cast<int64_t>(message.Length()));
    writer.Write(message, sent.Tag());
    message.Clear();
    sent_one.Wait();
    return was_sent;
  }
  Status Parse() {
    // `bytes` is empty if the request was parsed before or is itself empty.
    if (bytes.Length() == 0) return parsed;
    parsed = FromBytes(&bytes, &request);
    bytes.Clear();
    return parsed;
  }
  Status Read(const RowChunks::Writer& write) {
    const TracedWork traced(context, "ReadRows work");
    RETURN_IF_ERROR(Parse());
    ASSIGN_OR_RETURN(RowsRequest rows, RowsRequestOf(reads->client_, request));
    rows.takes_scanned_rows = TakesScannedRows(context);
    CallOptions options;
    options.cancel = cancel;
    RowChunks chunks(write, WantsWholeRows(context));
    Client* client = reads->client_;
    return ReadRows(client->data(), client->clock(), rows, options, &chunks);
  }
  // The object may already be deleted when Refuse or Finish returns.
  void Refuse() {
    is_last = true;
    writer.Finish(Overloaded("the server is at its limit of reads in flight; try again later"),
                  sent.Tag());
  }
  void Finish(const Status& status) {
    is_last = true;
    if (last.has_value()) {
      last_bytes = last->Length();
      reads->Hold(this, static_cast<int64_t>(last_bytes));
      writer.WriteAndFinish(*last, {}, ToGrpc(status), sent.Tag());
    } else {
      writer.Finish(ToGrpc(status), sent.Tag());
    }
  }

  RowReads* const reads;
  const CallLoop::Guest guest;
  grpc::ServerContext context;
  grpc::ByteBuffer bytes;  // the request before it is parsed
  v2::ReadRowsRequest request;
  Status parsed;  // the result of Parse
  grpc::ServerAsyncWriter<grpc::ByteBuffer> writer{&context};
  const CancelFlag cancel = std::make_shared<std::atomic<bool>>(false);
  std::optional<grpc::ByteBuffer> last;
  size_t last_bytes = 0;
  std::string connection;             // peer of the call; set by Take or Hold, "" before
  bool is_at_work = false;            // the read runs on a thread of its own
  int64_t in_line_until_nanos = 0;    // time at which a queued call is refused
  std::atomic<bool> is_last = false;  // the send in flight carries the status and ends the call
  bool was_sent = false;
  engine::WakeUp sent_one;
  std::atomic<int> holders = 2;
  Event came{this, &Call::Came};
  Event over{this, &Call::IsOver};
  Event sent{this, &Call::WasSent};
};

RowReads::Parked::Parked(RowReads* reads, Call* call, int64_t bytes)
    : reads_(reads), call_(call), bytes_(bytes) {
  reads_->Hold(call_, bytes_);
  if (!call_->is_at_work) return;
  engine::MutexLock lock(&reads_->mutex_);
  --reads_->at_work_;
  reads_->StartWaiting();
}

RowReads::Parked::~Parked() {
  reads_->Hold(call_, -bytes_);
  if (!call_->is_at_work) return;
  engine::MutexLock lock(&reads_->mutex_);
  ++reads_->at_work_;
}

RowReads::RowReads(Client* client, AsyncDataService* service)
    : client_(client), service_(service), threads_("row-reads", kThreadsMax) {}
RowReads::~RowReads() = default;

void RowReads::Await(CallLoop* loop) {
  auto* call = new Call(this, loop);
  service_->RequestReadRows(&call->context, &call->bytes, &call->writer, loop->queue(),
                            loop->queue(), call->came.Tag());
}

void RowReads::Take(Call* call) {
  bool is_short = call->bytes.Length() <= kShortBytes && bytes_ < kHeldMax;
  if (is_short && ReadOnLoop(call)) return;
  call->connection = call->context.peer();
  call->in_line_until_nanos = LineEnd(call->context.raw_deadline(), kLineMicros);
  engine::MutexLock lock(&mutex_);
  waiting_.push_back(call);
  StartWaiting();
}

bool RowReads::Look() {
  if (line_length_ == 0) return false;
  std::vector<Call*> late;
  const int64_t now = engine::Clock::System()->MonotonicNanos();
  {
    engine::MutexLock lock(&mutex_);
    StartWaiting();
    for (auto call = waiting_.begin(); call != waiting_.end();) {
      bool is_late = (*call)->in_line_until_nanos <= now || *(*call)->cancel;
      if (is_late) late.push_back(*call);
      call = is_late ? waiting_.erase(call) : call + 1;
    }
    line_length_ = waiting_.size();
  }
  for (Call* call : late) call->Refuse();
  return true;
}

void RowReads::Hold(Call* call, int64_t bytes) {
  bytes_ += bytes;
  // Small messages are not counted by connection, which would take the lock for each of them.
  if (std::abs(bytes) < kSmallBytes) return;
  if (call->connection.empty()) call->connection = call->context.peer();
  engine::MutexLock lock(&mutex_);
  if ((bytes_of_[call->connection] += bytes) == 0) bytes_of_.erase(call->connection);
  if (bytes < 0) StartWaiting();
}

bool RowReads::HasRoom(const Call& call) {
  auto held = bytes_of_.find(call.connection);
  return held == bytes_of_.end() || held->second < kHeldOfMax;
}

RowReads::Call* RowReads::TakeNext() {
  if (at_work_ >= kAtWorkMax || bytes_ >= kHeldMax) return nullptr;
  // A call whose connection holds too much does not block calls of other connections.
  auto first = std::find_if(waiting_.begin(), waiting_.end(),
                            [this](const Call* call) { return HasRoom(*call); });
  if (first == waiting_.end()) return nullptr;
  Call* call = *first;
  waiting_.erase(first);
  line_length_ = waiting_.size();
  ++at_work_;
  call->is_at_work = true;
  return call;
}

void RowReads::StartWaiting() {
  while (Call* call = TakeNext()) {
    if (threads_.Run([this, call] { Work(call); })) continue;
    // No thread is free: the call goes back to the head of the queue.
    --at_work_;
    call->is_at_work = false;
    waiting_.push_front(call);
    break;
  }
  line_length_ = waiting_.size();
}

void RowReads::Work(Call* call) {
  while (call != nullptr) {
    call->Finish(call->Read([call](const v2::ReadRowsResponse& response, bool is_last) {
      return call->Write(response, is_last);
    }));
    engine::MutexLock lock(&mutex_);
    --at_work_;
    call = TakeNext();
  }
}

// Carries out the read of one row on the loop's thread. False: nothing was sent, and the read must
// go to another thread, because no CallLoop::Absence was granted, the request cannot be parsed,
// the read is not short, or its reply is more than one message.
bool RowReads::ReadOnLoop(Call* call) {
  CallLoop::Absence absence(call->guest.loop());
  if (!absence.is_granted() || !call->Parse().ok() || !IsShort(call->request)) return false;
  bool is_large = false;
  Status status = call->Read([&](const v2::ReadRowsResponse& response, bool is_last) {
    is_large |= !is_last;
    return !is_large && call->Write(response, is_last);
  });
  if (is_large) {
    call->last.reset();
    return false;
  }
  call->Finish(status);
  return true;
}

}  // namespace sippar::cluster
