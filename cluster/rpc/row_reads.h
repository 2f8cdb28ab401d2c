// ReadRows. A read of one row is done by the thread that its call came to, and wakes nobody, as
// long as such reads take no time; all others have threads. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "cluster/rpc/call_loop.h"
#include "cluster/rpc/call_threads.h"
#include "cluster/rpc/data_service.h"

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
  // When its loops were stopped.
  void Stop() { threads_.Stop(); }

 private:
  struct Call;

  void Take(Call* call);
  bool ReadOnLoop(Call* call);

  Client* const client_;
  AsyncDataService* const service_;
  CallThreads threads_;
};

}  // namespace sippar::cluster
