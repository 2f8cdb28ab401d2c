// ReadRows. A read of one row is done by the thread that its call came to, and wakes nobody, as
// long as such reads take no time; all others have threads.
//
// What reads hold in memory is bounded: so many are carried out at a time, not counting those that
// wait for their callers to take a message; and while the messages that callers have not taken come
// to too many bytes, in all or of a connection, no other read begins. Such a call waits in line,
// within its deadline, then is refused: UNAVAILABLE, try again. Thread safe.
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
  // Both outlive it.
  RowReads(Client* client, AsyncDataService* service);
  ~RowReads();
  RowReads(const RowReads&) = delete;
  RowReads& operator=(const RowReads&) = delete;

  // Takes a call that comes to this loop, and the ones after it.
  void Await(CallLoop* loop);
  // For the loops: whether calls wait in line, so that it has to look again.
  bool Look();
  // When its loops were stopped.
  void Stop() { threads_.Stop(); }

 private:
  struct Call;
  class Parked;  // a read at work waits for its caller

  void Take(Call* call);
  bool ReadOnLoop(Call* call);
  // Carries out the call, and then those in line.
  void Work(Call* call);
  // Bytes that the caller has not taken yet; negative when it has.
  void Hold(Call* call, int64_t bytes);
  bool HasRoom(const Call& call) REQUIRES(mutex_);
  // The first in line that may begin, which is at work from then on; null: none.
  Call* TakeNext() REQUIRES(mutex_);
  void StartWaiting() REQUIRES(mutex_);

  Client* const client_;
  AsyncDataService* const service_;
  std::atomic<int64_t> bytes_{0};       // held, in all
  std::atomic<size_t> line_length_{0};  // of waiting_
  engine::Mutex mutex_;
  std::deque<Call*> waiting_ GUARDED_BY(mutex_);
  std::map<std::string, int64_t> bytes_of_ GUARDED_BY(mutex_);  // by connection; of large messages
  size_t at_work_ GUARDED_BY(mutex_) = 0;
  CallThreads threads_;
};

}  // namespace sippar::cluster
