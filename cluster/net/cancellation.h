// Lets one thread cancel the call that another waits for. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "engine/base/thread.h"

namespace sippar::net {

class Cancellation {
 public:
  // Ends the call that waits now, and each later one that is given this object.
  void Cancel() {
    engine::MutexLock lock(&mutex_);
    is_cancelled_ = true;
    if (end_call_) end_call_();
  }
  // Of the call: `end_call` runs at most once, while this object is locked, and not after Detach.
  void Attach(std::function<void()> end_call) {
    engine::MutexLock lock(&mutex_);
    if (is_cancelled_) return end_call();
    end_call_ = std::move(end_call);
  }
  void Detach() {
    engine::MutexLock lock(&mutex_);
    end_call_ = nullptr;
  }

 private:
  engine::Mutex mutex_;
  bool is_cancelled_ GUARDED_BY(mutex_) = false;
  std::function<void()> end_call_ GUARDED_BY(mutex_);
};

}  // namespace sippar::net
