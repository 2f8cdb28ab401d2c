// Serves ReadRows. The loop thread that receives the read of one row also carries it out, which
// saves a thread switch, as long as such reads are short. All other reads run on threads of their
// own.
//
// The memory of these other reads is bounded in two ways. None begins while 32 of them work, not
// counting those that wait for their callers to take a message. And none begins while the bytes
// held for such callers (see Hold) have reached 192 MiB in total or 96 MiB for its connection. A
// read that cannot begin waits in a queue until shortly before its deadline (at most 30 s) and is
// then refused with UNAVAILABLE, so that its caller retries. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "cluster/bigtable/data_service.h"
#include "cluster/grpc/call_loop.h"
#include "cluster/grpc/call_threads.h"

namespace sippar::cluster {

class RowReads {
 public:
  // Both must outlive the object.
  RowReads(Client* client, AsyncDataService* service);
  ~RowReads();
  RowReads(const RowReads&) = delete;
  RowReads& operator=(const RowReads&) = delete;

  // Accepts calls on this loop: the next one, and each one after it.
  void Await(CallLoop* loop);
  // Called by the loops. Starts the queued calls that may begin, and refuses those that waited too
  // long or were cancelled. True: calls were queued, so the loop should call Look again.
  bool Look();
  // Waits for the reads under way. To be called after the owner has stopped the CallLoops that give
  // this object its calls.
  void Stop() { threads_.Stop(); }

 private:
  struct Call;
  class Parked;  // a working read that waits for its caller

  void Take(Call* call);
  bool ReadOnLoop(Call* call);
  // Carries out the call, and after it the queued calls that may begin.
  void Work(Call* call);
  // Adds `bytes` to the count of bytes held because the caller has not taken a message yet: the
  // size of the last message, twice that of any other (see Call::Write). `bytes` is negative after
  // the caller has taken the message.
  void Hold(Call* call, int64_t bytes);
  bool HasRoom(const Call& call) REQUIRES(mutex_);
  // Removes from the queue the first call that may begin, and counts it as working. Null: no queued
  // call may begin.
  Call* TakeNext() REQUIRES(mutex_);
  void StartWaiting() REQUIRES(mutex_);

  Client* const client_;
  AsyncDataService* const service_;
  std::atomic<int64_t> bytes_{0};       // bytes held (see Hold), in total
  std::atomic<size_t> line_length_{0};  // size of waiting_, to be read without the lock
  engine::Mutex mutex_;
  std::deque<Call*> waiting_ GUARDED_BY(mutex_);
  // Bytes held for large messages, by connection.
  std::map<std::string, int64_t> bytes_of_ GUARDED_BY(mutex_);
  size_t at_work_ GUARDED_BY(mutex_) = 0;
  CallThreads threads_;
};

}  // namespace sippar::cluster
