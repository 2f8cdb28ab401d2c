// Tells running reads that their caller is gone: a synchronous gRPC call can only be asked whether
// it was cancelled, and a scan that finds nothing for long never comes to ask. One thread for a
// server. Thread safe. SPDX-License-Identifier: Apache-2.0
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
    bool is_endless = false;  // ends only with its caller, or with the server
  };

  // While it lives, `cancel` is set soon after the call is cancelled.
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

  // Sets `cancel` of endless calls, which a server that stops need not wait for, and of those that
  // come after.
  void CancelEndless();

 private:
  void Run();

  engine::Mutex mutex_;
  engine::CondVar changed_;
  std::list<Call> calls_ GUARDED_BY(mutex_);
  bool is_idle_ GUARDED_BY(mutex_) = false;  // waits for a call
  bool is_ending_ GUARDED_BY(mutex_) = false;
  bool cancels_endless_ GUARDED_BY(mutex_) = false;
  engine::Thread thread_;
};

}  // namespace sippar::cluster
