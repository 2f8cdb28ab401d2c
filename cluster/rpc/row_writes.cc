// Gathered writes of rows. SPDX-License-Identifier: Apache-2.0
#include "cluster/rpc/row_writes.h"

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpc/support/time.h>
#include <grpcpp/support/async_unary_call.h>

#include "cluster/rpc/call_trace.h"
#include "cluster/rpc/request_size.h"
#include "cluster/rpc/request_target.h"
#include "cluster/rpc/status_codes.h"
#include "engine/base/clock.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;

constexpr size_t kThreadsMax = 64;
constexpr int kCallsMax = 512;
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

struct TableWrite {
  std::string table;
  RowMutation mutation;  // without entries: merges of nothing
};

StatusOr<TableWrite> PrepareWrite(Client* client, v2::MutateRowRequest* request) {
  ASSIGN_OR_RETURN(RequestTarget target, TargetOf(client, *request));
  if (request->mutations().empty()) return InvalidArgument("mutations: at least one is needed");
  ASSIGN_OR_RETURN(RowMutation mutation,
                   MutationFromProto(request->row_key(), request->mutable_mutations(), target.rules,
                                     target.ServerTime(client->clock())));
  RETURN_IF_ERROR(target.CheckWrite(mutation));
  RETURN_IF_ERROR(SetRequest(request->idempotency(), &mutation));
  return TableWrite{std::move(target.table), std::move(mutation)};
}

}  // namespace

// Its events: it came; its answer was sent.
struct RowWrites::Call final : CallEvent {
  Call(RowWrites* of, CallLoop* loop) : writes(of), guest(loop) {}

  void Happened(bool ok) override {
    std::unique_ptr<Call> self(this);
    if (is_answered) {
      writes->calls_.fetch_sub(1);
    } else if (ok) {  // else the server ends
      trace = TakeTrace();
      writes->Await(guest.loop());
      writes->Take(std::move(self));
    }
  }

  RowWrites* const writes;
  const CallLoop::Guest guest;
  grpc::ServerContext context;
  v2::MutateRowRequest request;
  grpc::ServerAsyncResponseWriter<v2::MutateRowResponse> responder{&context};
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
                             loop->queue(), call);
}

void RowWrites::Take(std::unique_ptr<Call> call) {
  if (calls_.fetch_add(1) >= kCallsMax) {
    return Answer(std::move(call), ResourceExhausted(fmt::format(
                                       "{} writes are under way; try again soon", kCallsMax)));
  }
  engine::MutexLock lock(&mutex_);
  arrived_.push_back(std::move(call));
  if (arrived_.size() > 1) return;
  waiting_since_nanos_ = engine::Clock::System()->MonotonicNanos();
  if (working_ == 0) AddThread();  // else one of those at work is soon done
}

bool RowWrites::Look(bool is_quiet) {
  if (calls_ == 0) return false;
  if (is_quiet) CollectAnswered();  // what was not sent at once
  int64_t since = waiting_since_nanos_;
  if (since == 0 || engine::Clock::System()->MonotonicNanos() - since < kPatienceNanos) return true;
  engine::MutexLock lock(&mutex_);
  if (!arrived_.empty()) AddThread();
  return true;
}

void RowWrites::Stop() {
  threads_.Stop();
  answered_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (answered_.Next(&tag, &ok)) static_cast<CallEvent*>(tag)->Happened(ok);
}

void RowWrites::Answer(std::unique_ptr<Call> call, const Status& status) {
  call->request.Clear();
  call->is_answered = true;
  Call* tag = call.release();
  if (status.ok()) {
    tag->responder.Finish({}, grpc::Status::OK, tag);
  } else {
    tag->responder.FinishWithError(ToGrpc(status), tag);
  }
}

void RowWrites::CollectAnswered() {
  void* tag = nullptr;
  bool ok = false;
  const gpr_timespec now = gpr_time_0(GPR_CLOCK_MONOTONIC);
  while (answered_.AsyncNext(&tag, &ok, now) == grpc::CompletionQueue::GOT_EVENT) {
    static_cast<CallEvent*>(tag)->Happened(ok);
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
      continue;
    }
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
  for (std::unique_ptr<Call>& call : calls) {
    TraceScope scope(call->trace);
    GiveBackPieces(call->request);
    size_t size = call->request.ByteSizeLong();
    StatusOr<TableWrite> write = PrepareWrite(client_, &call->request);
    if (!write.ok() || write->mutation.entries.empty()) {
      Answer(std::move(call), write.status());
      continue;
    }
    uint64_t lane = client_->data()->LaneOf(write->table, write->mutation.row);
    writes.push_back(
        {std::move(call), {std::move(write->table), lane}, std::move(write->mutation), size});
  }
  CollectAnswered();
  return writes;
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
