// A gate that admits calls until it is shut. After that, its owner can wait for the calls that
// still run. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/thread.h"

namespace sippar::cluster {

class CallGate {
 public:
  // Represents one call while it runs.
  class Pass {
   public:
    explicit Pass(CallGate* gate);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    bool is_open() const { return is_open_; }  // false: the call may not begin

   private:
    CallGate* const gate_;
    const bool is_open_;
  };

  // Enter and Leave do the same without an object. Each Enter that returned true must be followed
  // by one Leave.
  [[nodiscard]] bool Enter();
  void Leave();

  // Shuts the gate: no call begins after this.
  void Shut();
  // Waits until no call is running. False: some still run after `limit_us`.
  bool WaitUntilQuiet(int64_t limit_us);

 private:
  engine::Mutex mutex_;
  engine::CondVar changed_;
  bool is_shut_ GUARDED_BY(mutex_) = false;
  int running_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::cluster
