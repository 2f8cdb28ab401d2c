// A call passes through these stages: line_ (it waits for memory), arrived_ (it waits to be
// parsed), a bundle (it waits for the thread that writes for its tablet), the reply. Each working
// thread parses the calls that have arrived before it writes the next batch.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/row_writes.h"

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpc/support/time.h>
#include <grpcpp/support/async_unary_call.h>

#include <tuple>

#include "cluster/grpc/call_deadline.h"
#include "cluster/grpc/call_trace.h"
#include "cluster/grpc/status_codes.h"
#include "engine/base/clock.h"

namespace sippar::cluster {
namespace {

constexpr size_t kThreadsMax = 512;
constexpr int64_t kBytesMax = 256 << 20;       // bytes in flight; one larger call is allowed
constexpr int64_t kLineMicros = 30'000'000;    // longest wait in the queue
constexpr size_t kBatchMax = 256;              // most calls in a batch of mutations
constexpr size_t kUpdatesMax = 64;             // most updates in a batch; each reads its row
constexpr size_t kBatchBytesMax = 4 << 20;     // most bytes in a batch; one larger call is allowed
constexpr int64_t kPatienceNanos = 1'000'000;  // wait for a busy thread before another is started

// Makes a queue that never polls connections. Only the loops read from connections, so that a sent
// reply wakes no thread.
grpc_completion_queue* NewQuietQueue() {
  grpc_completion_queue_attributes attributes{};
  attributes.version = GRPC_CQ_CURRENT_VERSION;
  attributes.cq_completion_type = GRPC_CQ_NEXT;
  attributes.cq_polling_type = GRPC_CQ_NON_POLLING;
  return grpc_completion_queue_create(grpc_completion_queue_factory_lookup(&attributes),
                                      &attributes, nullptr);
}

}  // namespace

// One call. It has two events: the arrival of the call, and the end of sending its reply.
struct RowWrites::Call final : CallEvent {
  Call(RowWrites* of, CallLoop* loop, RowMethod kind) : writes(of), guest(loop), method(kind) {}

  void Happened(bool ok) override {
    std::unique_ptr<Call> self(this);
    if (is_answered) {
      writes->unsent_.fetch_sub(1);
    } else if (ok) {  // not ok: server shut down before a call came
      writes->Await(guest.loop(), method);
      writes->Take(std::move(self));
    }
  }

  RowWrites* const writes;
  const CallLoop::Guest guest;
  const RowMethod method;
  grpc::ServerContext context;
  grpc::ByteBuffer request;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> responder{&context};
  int64_t size = 0;                 // bytes of the request that bytes_ includes; 0 before Arrive
  int64_t in_line_until_nanos = 0;  // time at which a queued call is refused
  bool is_answered = false;
};

struct RowWrites::Write {
  std::unique_ptr<Call> call;
  Bundle bundle;
  RowRequest request;
  size_t size = 0;
};

RowWrites::RowWrites(const InstanceRecords* records, AsyncDataService* service)
    : records_(records),
      client_(records->client()),
      service_(service),
      answered_(NewQuietQueue()),
      threads_("row-writes", kThreadsMax) {}
RowWrites::~RowWrites() = default;

void RowWrites::Await(CallLoop* loop) {
  Await(loop, RowMethod::kMutate);
  Await(loop, RowMethod::kCheckAndMutate);
  Await(loop, RowMethod::kReadModifyWrite);
}

void RowWrites::Await(CallLoop* loop, RowMethod method) {
  auto* call = new Call(this, loop, method);
  auto await = [&](auto request_call) {
    (service_->*request_call)(&call->context, &call->request, &call->responder, &answered_,
                              loop->queue(), call->Tag());
  };
  switch (method) {
    case RowMethod::kMutate:
      return await(&AsyncDataService::RequestMutateRow);
    case RowMethod::kCheckAndMutate:
      return await(&AsyncDataService::RequestCheckAndMutateRow);
    case RowMethod::kReadModifyWrite:
      return await(&AsyncDataService::RequestReadModifyWriteRow);
  }
}

void RowWrites::Take(std::unique_ptr<Call> call) {
  calls_.fetch_add(1);
  engine::MutexLock lock(&mutex_);
  const auto size = static_cast<int64_t>(call->request.Length());
  // Without other requests in flight any request fits: one may be larger than kBytesMax. A new call
  // never overtakes queued ones, or large requests would wait for ever.
  bool has_room = bytes_ == 0 || bytes_ + size <= kBytesMax;
  if (line_.empty() && has_room) return Arrive(std::move(call));
  call->in_line_until_nanos = LineEnd(call->context.raw_deadline(), kLineMicros);
  line_.push_back(std::move(call));
  line_length_ = line_.size();
}

void RowWrites::Arrive(std::unique_ptr<Call> call) {
  call->size = static_cast<int64_t>(call->request.Length());
  bytes_ += call->size;
  arrived_.push_back(std::move(call));
  if (arrived_.size() > 1) return;
  waiting_since_nanos_ = engine::Clock::System()->MonotonicNanos();
  // A working thread will soon take the calls. If no thread takes them within kPatienceNanos, Look
  // starts another thread. So the calls that arrive meanwhile become one batch, and most of them
  // wake no thread.
  if (working_ == 0) AddThread();
}

void RowWrites::LookAtLine() {
  Calls late;
  const int64_t now = engine::Clock::System()->MonotonicNanos();
  {
    engine::MutexLock lock(&mutex_);
    while (!line_.empty()) {
      const auto size = static_cast<int64_t>(line_.front()->request.Length());
      if (bytes_ != 0 && bytes_ + size > kBytesMax) break;
      Arrive(std::move(line_.front()));
      line_.pop_front();
    }
    for (std::unique_ptr<Call>& call : line_) {
      if (call->in_line_until_nanos <= now) late.push_back(std::move(call));
    }
    std::erase(line_, nullptr);
    line_length_ = line_.size();
  }
  for (std::unique_ptr<Call>& call : late) {
    Answer(std::move(call),
           Overloaded("the server is at its limit of writes in flight; try again later"));
  }
}

bool RowWrites::Look(bool is_quiet) {
  if (calls_ == 0 && unsent_ == 0) return false;
  if (is_quiet) CollectAnswered();  // replies that gRPC could not send at once
  if (line_length_ != 0) LookAtLine();
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
  // After the threads have ended no reply is added. The replies that gRPC has not reported yet are
  // collected, which deletes their calls.
  answered_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (answered_.Next(&tag, &ok)) CallEvent::Tell(tag, ok);
}

void RowWrites::Answer(std::unique_ptr<Call> call, const Status& status, const std::string& row,
                       const engine::RowUpdateResult& result) {
  if (!status.ok()) return Answer(std::move(call), ToGrpc(status));
  grpc::ByteBuffer answer = RowAnswer(call->method, row, result);
  Call* answered = Close(std::move(call));
  answered->responder.Finish(answer, grpc::Status::OK, answered->Tag());
}

void RowWrites::Answer(std::unique_ptr<Call> call, const grpc::Status& failure) {
  Call* answered = Close(std::move(call));
  answered->responder.FinishWithError(failure, answered->Tag());
}

RowWrites::Call* RowWrites::Close(std::unique_ptr<Call> call) {
  call->request.Clear();
  call->is_answered = true;
  bytes_ -= call->size;
  unsent_.fetch_add(1);
  calls_.fetch_sub(1);
  return call.release();
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
    // While this thread writes without the lock, the bundle stays valid: only the thread that has
    // taken it from ready_ erases it. Writes that arrive in between are added to its queue.
    Bundles::iterator bundle = ready_.front();
    ready_.pop_front();
    Writes writes = TakeBatch(bundle->first, &bundle->second.writes);
    bundle->second.busy_since_nanos = engine::Clock::System()->MonotonicNanos();
    mutex_.Unlock();
    Apply(bundle->first, std::move(writes));
    mutex_.Lock();
    bundle->second.busy_since_nanos = 0;
    // The bundle goes to the end of the queue, so that a busy tablet does not keep the thread from
    // the others.
    if (bundle->second.writes.empty()) {
      bundles_.erase(bundle);
    } else {
      ready_.push_back(bundle);
    }
  }
  --working_;
}

RowWrites::Writes RowWrites::Prepare(Calls calls) {
  Writes writes;
  writes.reserve(calls.size());
  RowRequests requests(records_);
  for (std::unique_ptr<Call>& call : calls) {
    const size_t size = call->request.Length();
    StatusOr<RowRequest> request = requests.Prepare(call->method, &call->request);
    bool is_empty = request.ok() && request->update == nullptr && request->mutation.entries.empty();
    if (!request.ok() || is_empty) {
      Answer(std::move(call), request.status());
      continue;
    }
    Bundle bundle = BundleOf(*request);
    writes.push_back({std::move(call), std::move(bundle), *std::move(request), size});
  }
  CollectAnswered();
  return writes;
}

// The bundle of a request. A mutation that reads its row gets a bundle of its own, because it is
// committed alone in any case. So does a write whose tablet is not known yet: it may have to wait
// for a read of METADATA, which must not delay others.
RowWrites::Bundle RowWrites::BundleOf(const RowRequest& request) {
  bool is_update = request.update != nullptr;
  std::optional<uint64_t> bundle;
  if (is_update || !request.mutation.ReadsRow()) {
    bundle = client_->data()->BundleOf(request.table, request.row());
  }
  if (!bundle.has_value()) return Alone(request.table, is_update);
  return {request.table, *bundle, /*is_alone=*/false, is_update};
}

RowWrites::Bundle RowWrites::Alone(const std::string& table, bool is_update) {
  return {table, alone_.fetch_add(1), /*is_alone=*/true, is_update};
}

void RowWrites::Enqueue(Writes writes) {
  for (Write& write : writes) {
    auto [bundle, is_new] = bundles_.try_emplace(write.bundle);
    // The bundle's present batch of updates may be waiting for a disk to read its rows. A new
    // update does not wait for it, but gets a bundle of its own.
    int64_t since = write.bundle.is_update ? bundle->second.busy_since_nanos : 0;
    if (since != 0 && engine::Clock::System()->MonotonicNanos() - since > kPatienceNanos) {
      std::tie(bundle, is_new) =
          bundles_.try_emplace(Alone(write.bundle.table, /*is_update=*/true));
    }
    bundle->second.writes.push_back(std::move(write));
    if (is_new) ready_.push_back(bundle);
  }
  // Asks for one more thread for each ready bundle except the first, which this thread takes.
  for (size_t i = 1; i < ready_.size(); ++i) AddThread();
}

RowWrites::Writes RowWrites::TakeBatch(const Bundle& bundle, std::deque<Write>* waiting) {
  const size_t most = bundle.is_update ? kUpdatesMax : kBatchMax;
  Writes writes;
  size_t bytes = 0;
  while (!waiting->empty() && writes.size() < most) {
    bytes += waiting->front().size;
    if (bytes > kBatchBytesMax && !writes.empty()) break;
    writes.push_back(std::move(waiting->front()));
    waiting->pop_front();
  }
  return writes;
}

// The work on a batch is traced as work of its first call.
void RowWrites::Apply(const Bundle& bundle, Writes writes) {
  const TracedWork traced(writes.front().call->context, "row writes work");
  if (bundle.is_update) {
    ApplyUpdates(bundle.table, std::move(writes));
  } else {
    ApplyMutations(bundle.table, std::move(writes));
  }
  CollectAnswered();
}

void RowWrites::ApplyMutations(const std::string& table, Writes writes) {
  std::vector<Status> statuses;
  if (writes.size() == 1) {
    statuses.push_back(client_->data()->Apply(table, writes.front().request.mutation));
  } else {
    std::vector<RowMutation> batch;
    batch.reserve(writes.size());
    for (Write& write : writes) batch.push_back(std::move(write.request.mutation));
    statuses = client_->data()->ApplyBatch(table, batch);
  }
  for (size_t i = 0; i < writes.size(); ++i) Answer(std::move(writes[i].call), statuses[i]);
}

void RowWrites::ApplyUpdates(const std::string& table, Writes writes) {
  std::vector<engine::RowUpdate> batch;
  batch.reserve(writes.size());
  for (Write& write : writes) batch.push_back(std::move(*write.request.update));
  auto answers = client_->data()->UpdateBatch(table, batch);
  for (size_t i = 0; i < writes.size(); ++i) {
    const auto& answer = answers[i];
    Status status = answer.status();
    // The predicate of CheckAndMutateRow may have chosen a list that names a missing family. That
    // list was emptied, so nothing was written, and its error is returned now.
    if (answer.ok()) {
      const RowRequest& request = writes[i].request;
      status = answer->matched ? request.missing_on_true : request.missing_on_false;
    }
    Answer(std::move(writes[i].call), status, batch[i].row,
           answer.ok() ? *answer : engine::RowUpdateResult());
  }
}

}  // namespace sippar::cluster
