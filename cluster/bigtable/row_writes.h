// Serves MutateRow, CheckAndMutateRow and ReadModifyWriteRow for many concurrent callers. While a
// thread writes a batch to a tablet, further writes of its Bundle wait, and the next thread that is
// free, mostly the same one, writes them as one batch: they need few groups of the commit log and
// few thread switches. Writes to different tablets do not wait for each other. The requests that
// are being served have at most 256 MiB in total. Further requests wait in a queue until shortly
// before their deadlines (at most 30 s) and are then refused with UNAVAILABLE, so that their
// callers retry. Thread safe.
// SPDX-License-Identifier: Apache-2.0
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
  // Both must outlive the object.
  RowWrites(const InstanceRecords* records, AsyncDataService* service);
  ~RowWrites();
  RowWrites(const RowWrites&) = delete;
  RowWrites& operator=(const RowWrites&) = delete;

  // Accepts calls of each method on this loop: the next one, and each one after it.
  void Await(CallLoop* loop);
  // Called by the loops: collects sent replies, starts or refuses queued calls, and adds a thread
  // if calls wait too long. True: calls are in flight, so it should be called again.
  bool Look(bool is_quiet);
  // To be called after the loops have stopped.
  void Stop();

 private:
  struct Call;
  struct Write;
  // A set of writes that only one thread at a time carries out: the mutations of one tablet
  // (DataApi::BundleOf), the updates of one tablet, or a single write.
  struct Bundle {
    std::string table;
    uint64_t number = 0;
    bool is_alone = false;
    bool is_update = false;  // written by DataApi::UpdateBatch, not ApplyBatch
    auto operator<=>(const Bundle&) const = default;
  };
  using Calls = std::vector<std::unique_ptr<Call>>;
  using Writes = std::vector<Write>;
  struct Queue {
    std::deque<Write> writes;
    int64_t busy_since_nanos = 0;  // start of the present batch; 0: no thread writes for the bundle
  };
  using Bundles = std::map<Bundle, Queue>;

  void Await(CallLoop* loop, RowMethod method);
  void Take(std::unique_ptr<Call> call);
  void Arrive(std::unique_ptr<Call> call) REQUIRES(mutex_);
  // Starts queued calls for which there is room now, and refuses those that waited too long.
  void LookAtLine();
  void Answer(std::unique_ptr<Call> call, const Status& status, const std::string& row = {},
              const engine::RowUpdateResult& result = {});
  void Answer(std::unique_ptr<Call> call, const grpc::Status& failure);
  // Counts the call as answered. gRPC owns it from here until it reports that the reply was sent.
  Call* Close(std::unique_ptr<Call> call);
  void CollectAnswered();

  void AddThread() REQUIRES(mutex_);
  void Work();
  Writes Prepare(Calls calls);
  Bundle BundleOf(const RowRequest& request);
  Bundle Alone(const std::string& table, bool is_update);
  void Enqueue(Writes writes) REQUIRES(mutex_);
  Writes TakeBatch(const Bundle& bundle, std::deque<Write>* waiting) REQUIRES(mutex_);
  void Apply(const Bundle& bundle, Writes writes);
  void ApplyMutations(const std::string& table, Writes writes);
  void ApplyUpdates(const std::string& table, Writes writes);

  const InstanceRecords* const records_;
  Client* const client_;
  AsyncDataService* const service_;
  // Reports replies that were sent. No thread waits on this queue, so a sent reply wakes none.
  grpc::CompletionQueue answered_;

  std::atomic<int> calls_{0};           // calls that were accepted and not answered
  std::atomic<int> unsent_{0};          // replies that gRPC has not reported as sent
  std::atomic<int64_t> bytes_{0};       // bytes of requests that began and have no reply
  std::atomic<size_t> line_length_{0};  // size of line_, to be read without the lock
  std::atomic<uint64_t> alone_{0};      // number of single-write bundles so far
  // Time at which arrived_ got its first call, or at which Look last added a thread for it; 0:
  // arrived_ is empty.
  std::atomic<int64_t> waiting_since_nanos_{0};
  engine::Mutex mutex_;
  std::deque<std::unique_ptr<Call>> line_ GUARDED_BY(mutex_);  // calls that wait for room
  Calls arrived_ GUARDED_BY(mutex_);                           // calls that wait to be parsed
  Bundles bundles_ GUARDED_BY(mutex_);                      // bundles that have writes or a thread
  std::deque<Bundles::iterator> ready_ GUARDED_BY(mutex_);  // bundles with writes and no thread
  size_t working_ GUARDED_BY(mutex_) = 0;                   // number of threads that run Work
  CallThreads threads_;
};

}  // namespace sippar::cluster
