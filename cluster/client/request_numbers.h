// Gives a client's writes their request ids, and knows below which number all are answered, so that
// tablets may forget them. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "engine/base/thread.h"
#include "engine/model/mutation.h"

namespace sippar::cluster {

class RequestNumbers {
 public:
  // `client` is never repeated; 0: writes get no ids.
  explicit RequestNumbers(uint64_t client) : client_(client) {}

  engine::RequestId Begin() {
    engine::MutexLock lock(&mutex_);
    uint64_t number = next_++;
    open_.insert(open_.end(), number);
    return {client_, number, *open_.begin()};
  }
  // The caller has its answer, or has been told that there is none: it is not asked for again.
  void End(const engine::RequestId& request) {
    engine::MutexLock lock(&mutex_);
    open_.erase(request.number);
  }

 private:
  const uint64_t client_;
  engine::Mutex mutex_;
  uint64_t next_ GUARDED_BY(mutex_) = 1;
  std::set<uint64_t> open_ GUARDED_BY(mutex_);
};

// For the time of one write, all tries included.
class NumberedRequest {
 public:
  explicit NumberedRequest(RequestNumbers* numbers) : numbers_(numbers), id_(numbers->Begin()) {}
  ~NumberedRequest() { numbers_->End(id_); }
  NumberedRequest(const NumberedRequest&) = delete;
  NumberedRequest& operator=(const NumberedRequest&) = delete;
  const engine::RequestId& id() const { return id_; }

 private:
  RequestNumbers* const numbers_;
  const engine::RequestId id_;
};

}  // namespace sippar::cluster
