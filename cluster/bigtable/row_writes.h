// MutateRow, CheckAndMutateRow and ReadModifyWriteRow, for many callers at once: what came while a
// thread wrote is written by it in one batch, which is one group of the commit log and wakes
// nobody. Writes to different tablets do not wait for each other. Requests under way have so many
// bytes at most; others wait in line, within their deadlines, then they are refused: UNAVAILABLE,
// try again. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <compare>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/bigtable/data_service.h"
#include "cluster/bigtable/row_requests.h"
#include "cluster/grpc/call_loop.h"
#include "cluster/grpc/call_threads.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

class RowWrites {
 public:
  // Both outlive it.
  RowWrites(const InstanceRecords* records, AsyncDataService* service);
  ~RowWrites();
  RowWrites(const RowWrites&) = delete;
  RowWrites& operator=(const RowWrites&) = delete;

  // Takes a call of each kind that comes to this loop, and the ones after it.
  void Await(CallLoop* loop);
  // For the loops: whether calls are under way, so that it has to look again.
  bool Look(bool is_quiet);
  // When its loops were stopped.
  void Stop();

 private:
  struct Call;
  struct Write;
  struct Lane {  // what one thread at a time writes: DataApi::LaneOf, or a call alone
    std::string table;
    uint64_t number = 0;
    bool is_alone = false;
    bool is_update = false;  // of DataApi::UpdateBatch
    auto operator<=>(const Lane&) const = default;
  };
  using Calls = std::vector<std::unique_ptr<Call>>;
  using Writes = std::vector<Write>;
  struct Queue {
    std::deque<Write> writes;
    int64_t busy_since_nanos = 0;  // 0: no thread writes for it
  };
  using Lanes = std::map<Lane, Queue>;

  void Await(CallLoop* loop, RowMethod method);
  void Take(std::unique_ptr<Call> call);
  void Arrive(std::unique_ptr<Call> call) REQUIRES(mutex_);
  // Those in line: some may arrive now, some have waited too long.
  void LookAtLine();
  void Answer(std::unique_ptr<Call> call, const Status& status, const std::string& row = {},
              const engine::RowUpdateResult& result = {});
  void Answer(std::unique_ptr<Call> call, const grpc::Status& failure);
  // It is counted as answered, and belongs to gRPC from then on.
  Call* Close(std::unique_ptr<Call> call);
  void CollectAnswered();

  void AddThread() REQUIRES(mutex_);
  void Work();
  Writes Prepare(Calls calls);
  Lane LaneOf(const RowRequest& request);
  Lane Alone(const std::string& table, bool is_update);
  void Enqueue(Writes writes) REQUIRES(mutex_);
  Writes TakeBatch(const Lane& lane, std::deque<Write>* waiting) REQUIRES(mutex_);
  void Apply(const Lane& lane, Writes writes);
  void ApplyMutations(const std::string& table, Writes writes);
  void ApplyUpdates(const std::string& table, Writes writes);

  const InstanceRecords* const records_;
  Client* const client_;
  AsyncDataService* const service_;
  // Of calls under way. Nobody waits there, so an answer that was sent wakes nobody.
  grpc::CompletionQueue answered_;

  std::atomic<int> calls_{0};           // taken, not answered
  std::atomic<int> unsent_{0};          // answers
  std::atomic<int64_t> bytes_{0};       // of requests that arrived and are not answered
  std::atomic<size_t> line_length_{0};  // of line_
  std::atomic<uint64_t> alone_{0};
  std::atomic<int64_t> waiting_since_nanos_{0};  // 0: `arrived_` is empty
  engine::Mutex mutex_;
  std::deque<std::unique_ptr<Call>> line_ GUARDED_BY(mutex_);
  Calls arrived_ GUARDED_BY(mutex_);
  Lanes lanes_ GUARDED_BY(mutex_);                        // with writes, or a thread
  std::deque<Lanes::iterator> ready_ GUARDED_BY(mutex_);  // have no thread
  size_t working_ GUARDED_BY(mutex_) = 0;                 // threads
  CallThreads threads_;
};

}  // namespace sippar::cluster
