// Wakes the one thread that waits for it, each call one wait. Cheaper than a CondVar, which makes
// those that it wakes stand in line for the Mutex, and then wake each other once more. Who has
// waited may destroy it, even while Notify is about to return.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <semaphore.h>

#include "engine/base/thread.h"

namespace sippar::engine {

class WakeUp {
 public:
  WakeUp() { sem_init(&semaphore_, 0, 0); }
  ~WakeUp() { sem_destroy(&semaphore_); }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  void Notify();
  void Wait();
  // False when `micros` passed without a Notify.
  bool WaitFor(int64_t micros);

 private:
  sem_t semaphore_;
  // In a simulation.
  Mutex mutex_;
  CondVar condition_;
  int count_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::engine
