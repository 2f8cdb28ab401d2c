// Sets the cancel flags of reads whose callers are gone. gRPC can only be asked whether a
// synchronous call was cancelled, and a scan that finds nothing for a long time would not ask. So
// one thread per server asks gRPC about all calls every 50 ms. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server_context.h>

#include <list>

#include "cluster/api/data_api.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

class CallWatch {
 public:
  CallWatch();
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

  struct Call {
    grpc::ServerContext* context;
    CancelFlag cancel;
    bool is_endless = false;  // CancelEndless cancels this call as well
  };

  // While a Scope lives, its `cancel` is set soon after the call of `context` is cancelled.
  class Scope {
   public:
    Scope(CallWatch* watch, grpc::ServerContext* context, bool is_endless = false);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    const CancelFlag& cancel() const { return call_->cancel; }

   private:
    CallWatch* watch_;
    std::list<Call>::iterator call_;
  };

  // Sets `cancel` of all endless calls, present and future: a server that stops cannot wait for
  // their end.
  void CancelEndless();

 private:
  void Run();

  engine::Mutex mutex_;
  engine::CondVar changed_;
  std::list<Call> calls_ GUARDED_BY(mutex_);
  bool is_idle_ GUARDED_BY(mutex_) = false;  // the thread waits for a call to come
  bool is_ending_ GUARDED_BY(mutex_) = false;
  bool cancels_endless_ GUARDED_BY(mutex_) = false;
  engine::Thread thread_;
};

}  // namespace sippar::cluster
