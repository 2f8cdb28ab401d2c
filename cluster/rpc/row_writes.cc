// Gathered writes of rows. SPDX-License-Identifier: Apache-2.0
#include "cluster/rpc/row_writes.h"

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpc/support/time.h>
#include <grpcpp/support/async_unary_call.h>

#include "cluster/rpc/call_trace.h"
#include "cluster/rpc/raw_message.h"
#include "cluster/rpc/request_size.h"
#include "cluster/rpc/request_target.h"
#include "cluster/rpc/status_codes.h"
#include "engine/base/clock.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;

constexpr size_t kThreadsMax = 512;
constexpr int kCallsMax = 512;                 // more are refused at once
constexpr size_t kBatchMax = 256;              // calls
constexpr size_t kBatchBytesMax = 4 << 20;     // or one call
constexpr int64_t kPatienceNanos = 1'000'000;  // with threads that write for others

// It looks at no connection: that is the loops' part.
grpc_completion_queue* NewQuietQueue() {
  grpc_completion_queue_attributes attributes{};
  attributes.version = GRPC_CQ_CURRENT_VERSION;
  attributes.cq_completion_type = GRPC_CQ_NEXT;
  attributes.cq_polling_type = GRPC_CQ_NON_POLLING;
  return grpc_completion_queue_create(grpc_completion_queue_factory_lookup(&attributes),
                                      &attributes, nullptr);
}

// Of the calls that are prepared together.
using Targets = std::map<std::pair<std::string, std::string>, StatusOr<RequestTarget>>;

struct TableWrite {
  std::string table;
  RowMutation mutation;  // without entries: merges of nothing
};

StatusOr<TableWrite> PrepareWrite(Client* client, Targets* targets, v2::MutateRowRequest* request) {
  std::pair<std::string, std::string> name{request->table_name(), request->authorized_view_name()};
  auto known = targets->find(name);
  if (known == targets->end()) {
    known = targets->emplace(std::move(name), TargetOf(client, *request)).first;
  }
  RETURN_IF_ERROR(known->second.status());
  const RequestTarget& target = *known->second;
  if (request->mutations().empty()) return InvalidArgument("mutations: at least one is needed");
  ASSIGN_OR_RETURN(RowMutation mutation,
                   MutationFromProto(request->row_key(), request->mutable_mutations(), target.rules,
                                     target.ServerTime(client->clock())));
  RETURN_IF_ERROR(target.CheckWrite(mutation));
  RETURN_IF_ERROR(SetRequest(request->idempotency(), &mutation));
  return TableWrite{target.table, std::move(mutation)};
}

}  // namespace

// Its events: it came; its answer was sent.
struct RowWrites::Call final : CallEvent {
  Call(RowWrites* of, CallLoop* loop) : writes(of), guest(loop) {}

  void Happened(bool ok) override {
    std::unique_ptr<Call> self(this);
    if (is_answered) {
      writes->unsent_.fetch_sub(1);
    } else if (ok) {  // else the server ends
      trace = TraceOf(&context);
      writes->Await(guest.loop());
      writes->Take(std::move(self));
    }
  }

  RowWrites* const writes;
  const CallLoop::Guest guest;
  grpc::ServerContext context;
  grpc::ByteBuffer request;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> responder{&context};
  TracedCall* trace = nullptr;  // null: nobody wants it
  bool is_answered = false;
};

struct RowWrites::Write {
  std::unique_ptr<Call> call;
  Lane lane;
  RowMutation mutation;
  size_t size = 0;
};

RowWrites::RowWrites(Client* client, AsyncDataService* service)
    : client_(client),
      service_(service),
      answered_(NewQuietQueue()),
      threads_("row-writes", kThreadsMax) {}
RowWrites::~RowWrites() = default;

void RowWrites::Await(CallLoop* loop) {
  auto* call = new Call(this, loop);
  service_->RequestMutateRow(&call->context, &call->request, &call->responder, &answered_,
                             loop->queue(), call->Tag());
}

void RowWrites::Take(std::unique_ptr<Call> call) {
  if (calls_.fetch_add(1) >= kCallsMax) {
    Answer(std::move(call),
           ResourceExhausted(fmt::format("{} writes are under way; try again soon", kCallsMax)));
    return CollectAnswered();
  }
  engine::MutexLock lock(&mutex_);
  arrived_.push_back(std::move(call));
  if (arrived_.size() > 1) return;
  waiting_since_nanos_ = engine::Clock::System()->MonotonicNanos();
  if (working_ == 0) AddThread();  // else one of those at work is soon done
}

bool RowWrites::Look(bool is_quiet) {
  if (calls_ == 0 && unsent_ == 0) return false;
  if (is_quiet) CollectAnswered();  // what was not sent at once
  const int64_t since = waiting_since_nanos_;
  const int64_t now = engine::Clock::System()->MonotonicNanos();
  if (since == 0 || now - since < kPatienceNanos) return true;
  engine::MutexLock lock(&mutex_);
  if (arrived_.empty()) return true;
  waiting_since_nanos_ = now;
  AddThread();
  return true;
}

void RowWrites::Stop() {
  threads_.Stop();
  answered_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (answered_.Next(&tag, &ok)) CallEvent::Tell(tag, ok);
}

void RowWrites::Answer(std::unique_ptr<Call> call, const Status& status) {
  call->request.Clear();
  call->is_answered = true;
  unsent_.fetch_add(1);
  calls_.fetch_sub(1);
  Call* answered = call.release();
  if (status.ok()) {
    answered->responder.Finish(ToBytes(v2::MutateRowResponse()), grpc::Status::OK, answered->Tag());
  } else {
    answered->responder.FinishWithError(ToGrpc(status), answered->Tag());
  }
}

void RowWrites::CollectAnswered() {
  void* tag = nullptr;
  bool ok = false;
  const gpr_timespec now = gpr_time_0(GPR_CLOCK_MONOTONIC);
  while (answered_.AsyncNext(&tag, &ok, now) == grpc::CompletionQueue::GOT_EVENT) {
    CallEvent::Tell(tag, ok);
  }
}

void RowWrites::AddThread() {
  if (threads_.Run([this] { Work(); })) ++working_;
}

void RowWrites::Work() {
  engine::MutexLock lock(&mutex_);
  while (!arrived_.empty() || !ready_.empty()) {
    if (!arrived_.empty()) {
      Calls calls = std::exchange(arrived_, {});
      waiting_since_nanos_ = 0;
      mutex_.Unlock();
      Writes writes = Prepare(std::move(calls));
      mutex_.Lock();
      Enqueue(std::move(writes));
    }
    if (ready_.empty()) continue;
    Lanes::iterator lane = ready_.front();
    ready_.pop_front();
    Writes writes = TakeBatch(&lane->second);
    mutex_.Unlock();
    Apply(lane->first.table, std::move(writes));
    mutex_.Lock();
    if (lane->second.empty()) {
      lanes_.erase(lane);
    } else {
      ready_.push_back(lane);
    }
  }
  --working_;
}

RowWrites::Writes RowWrites::Prepare(Calls calls) {
  Writes writes;
  writes.reserve(calls.size());
  Targets targets;
  for (std::unique_ptr<Call>& call : calls) {
    TraceScope scope(call->trace);
    const size_t size = call->request.Length();
    v2::MutateRowRequest request;
    Status parsed = FromBytes(&call->request, &request);
    GiveBackPieces(request);
    StatusOr<TableWrite> write =
        parsed.ok() ? PrepareWrite(client_, &targets, &request) : std::move(parsed);
    if (!write.ok() || write->mutation.entries.empty()) {
      Answer(std::move(call), write.status());
      continue;
    }
    Lane lane = LaneOf(write->table, write->mutation);
    writes.push_back({std::move(call), std::move(lane), std::move(write->mutation), size});
  }
  CollectAnswered();
  return writes;
}

// What reads its row is committed by itself anyway; what goes to an unknown place may wait there.
RowWrites::Lane RowWrites::LaneOf(const std::string& table, const RowMutation& mutation) {
  std::optional<uint64_t> lane;
  if (!mutation.ReadsRow()) lane = client_->data()->LaneOf(table, mutation.row);
  if (lane.has_value()) return {table, *lane, /*is_alone=*/false};
  return {table, alone_.fetch_add(1), /*is_alone=*/true};
}

void RowWrites::Enqueue(Writes writes) {
  for (Write& write : writes) {
    auto [lane, is_new] = lanes_.try_emplace(write.lane);
    lane->second.push_back(std::move(write));
    if (is_new) ready_.push_back(lane);
  }
  for (size_t i = 1; i < ready_.size(); ++i) AddThread();  // the first one is this thread's
}

RowWrites::Writes RowWrites::TakeBatch(std::deque<Write>* lane) {
  Writes writes;
  size_t bytes = 0;
  while (!lane->empty() && writes.size() < kBatchMax) {
    bytes += lane->front().size;
    if (bytes > kBatchBytesMax && !writes.empty()) break;
    writes.push_back(std::move(lane->front()));
    lane->pop_front();
  }
  return writes;
}

void RowWrites::Apply(const std::string& table, Writes writes) {
  TraceScope scope(writes.front().call->trace);
  std::vector<Status> statuses;
  if (writes.size() == 1) {
    statuses.push_back(client_->data()->Apply(table, writes.front().mutation));
  } else {
    std::vector<RowMutation> batch;
    batch.reserve(writes.size());
    for (Write& write : writes) batch.push_back(std::move(write.mutation));
    statuses = client_->data()->ApplyBatch(table, batch);
  }
  for (size_t i = 0; i < writes.size(); ++i) Answer(std::move(writes[i].call), statuses[i]);
  CollectAnswered();
}

}  // namespace sippar::cluster
