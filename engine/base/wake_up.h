// Wakes the one thread that waits for it; each Notify ends one Wait. Cheaper than a CondVar, whose
// woken threads must all queue for the Mutex. The waiter may destroy the object as soon as Wait
// returns, even while Notify has not yet returned.
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
  // Returns false when `micros` passed without a Notify.
  bool WaitFor(int64_t micros);

 private:
  sem_t semaphore_;
  // The next three fields replace the semaphore in a simulation.
  Mutex mutex_;
  CondVar condition_;
  int count_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::engine
