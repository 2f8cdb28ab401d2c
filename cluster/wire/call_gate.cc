// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/call_gate.h"

namespace sippar::cluster {

CallGate::Pass::Pass(CallGate* gate) : gate_(gate), is_open_(gate->Enter()) {}

CallGate::Pass::~Pass() {
  if (is_open_) gate_->Leave();
}

bool CallGate::Enter() {
  engine::MutexLock lock(&mutex_);
  if (!is_shut_) ++running_;
  return !is_shut_;
}

void CallGate::Leave() {
  engine::MutexLock lock(&mutex_);
  // No thread waits for the last call before the gate is shut, so none has to be woken before that.
  if (--running_ == 0 && is_shut_) changed_.NotifyAll();
}

void CallGate::Shut() {
  engine::MutexLock lock(&mutex_);
  is_shut_ = true;
}

bool CallGate::WaitUntilQuiet(int64_t limit_us) {
  engine::MutexLock lock(&mutex_);
  while (running_ > 0) {
    if (!changed_.WaitFor(&mutex_, limit_us)) break;
  }
  return running_ == 0;
}

}  // namespace sippar::cluster
