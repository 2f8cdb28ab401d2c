// Numbers the writes of a client (cluster/PROTOCOL.md, "Request ids"). Each id also carries the
// number below which all writes are answered, so that tablets may forget the answers to those.
// Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "engine/base/thread.h"
#include "engine/model/mutation.h"

namespace sippar::cluster {

class RequestNumbers {
 public:
  // `client`: an id that no other client ever has; 0: writes get no ids.
  explicit RequestNumbers(uint64_t client) : client_(client) {}

  engine::RequestId Begin() {
    engine::MutexLock lock(&mutex_);
    uint64_t number = next_++;
    open_.insert(open_.end(), number);
    return {client_, number, *open_.begin()};
  }
  // The caller has its answer, or was told that the outcome is unknown: the request is not retried.
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

// Holds a request number open while one write lasts, including all its retries.
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
