// MutateRow, for many callers at once: what came while a thread wrote is written by it in one
// batch, which is one group of the commit log and wakes nobody. Writes to different tablets do not
// wait for each other. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <compare>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/rpc/call_loop.h"
#include "cluster/rpc/call_threads.h"
#include "cluster/rpc/data_service.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

class RowWrites {
 public:
  // Both outlive it.
  RowWrites(Client* client, AsyncDataService* service);
  ~RowWrites();
  RowWrites(const RowWrites&) = delete;
  RowWrites& operator=(const RowWrites&) = delete;

  // Takes a call that comes to this loop, and the ones after it.
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
    auto operator<=>(const Lane&) const = default;
  };
  using Calls = std::vector<std::unique_ptr<Call>>;
  using Writes = std::vector<Write>;
  using Lanes = std::map<Lane, std::deque<Write>>;

  void Take(std::unique_ptr<Call> call);
  void Answer(std::unique_ptr<Call> call, const Status& status);
  void CollectAnswered();

  void AddThread() REQUIRES(mutex_);
  void Work();
  Writes Prepare(Calls calls);
  Lane LaneOf(const std::string& table, const RowMutation& mutation);
  void Enqueue(Writes writes) REQUIRES(mutex_);
  Writes TakeBatch(std::deque<Write>* lane) REQUIRES(mutex_);
  void Apply(const std::string& table, Writes writes);

  Client* const client_;
  AsyncDataService* const service_;
  // Of calls under way. Nobody waits there, so an answer that was sent wakes nobody.
  grpc::CompletionQueue answered_;

  std::atomic<int> calls_{0};   // taken, not answered
  std::atomic<int> unsent_{0};  // answers
  std::atomic<uint64_t> alone_{0};
  std::atomic<int64_t> waiting_since_nanos_{0};  // 0: `arrived_` is empty
  engine::Mutex mutex_;
  Calls arrived_ GUARDED_BY(mutex_);
  Lanes lanes_ GUARDED_BY(mutex_);                        // with writes, or a thread
  std::deque<Lanes::iterator> ready_ GUARDED_BY(mutex_);  // have no thread
  size_t working_ GUARDED_BY(mutex_) = 0;                 // threads
  CallThreads threads_;
};

}  // namespace sippar::cluster
