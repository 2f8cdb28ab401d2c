// Numbers the writes of a client (cluster/PROTOCOL.md, "Request ids"). Each id also carries the
// number below which no write is retried any more, so that tablets may forget the answers to those.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <set>

#include "cluster/api/row_calls.h"
#include "engine/base/thread.h"

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
  // To be called when the request will not be retried: its caller has the answer, or was told that
  // the outcome is unknown. Ignores an id of another client.
  void End(const engine::RequestId& request) {
    if (request.client != client_) return;
    engine::MutexLock lock(&mutex_);
    open_.erase(request.number);
  }

 private:
  const uint64_t client_;
  engine::Mutex mutex_;
  uint64_t next_ GUARDED_BY(mutex_) = 1;
  std::set<uint64_t> open_ GUARDED_BY(mutex_);
};

// A call in which every write has a request id, so that it is safe to repeat. A call without writes
// is passed on as it is.
template <class Call>
class NumberedCall {
 public:
  NumberedCall(RequestNumbers* /*numbers*/, const Call& asked) : call_(asked) {}
  const Call& call() const { return call_; }

 private:
  const Call& call_;
};

// Copies the writes and gives a request id to those without one; an id that the caller has set, for
// example from an idempotency token, is kept. The object must live until the last retry has ended,
// because its destructor ends the ids (RequestNumbers::End).
template <class Call>
requires requires { typename Call::Write; }
class NumberedCall<Call> {
 public:
  // `numbers` outlives the object.
  NumberedCall(RequestNumbers* numbers, const Call& asked) : numbers_(numbers), call_(asked) {
    if constexpr (requires { asked.batch; }) {
      copies_.reserve(asked.batch.size());
      for (const Write* write : asked.batch.values()) pointers_.push_back(Copy(*write));
      call_.batch = {pointers_.data(), pointers_.size()};
    } else {
      call_.mutation = *Copy(*asked.mutation);
    }
  }
  ~NumberedCall() {
    for (const Write& copy : copies_) numbers_->End(copy.request);
  }
  NumberedCall(const NumberedCall&) = delete;
  NumberedCall& operator=(const NumberedCall&) = delete;
  const Call& call() const { return call_; }

 private:
  using Write = typename Call::Write;

  const Write* Copy(const Write& write) {
    Write& copy = copies_.emplace_back(write);
    if (copy.request.IsNone()) copy.request = numbers_->Begin();
    return &copy;
  }

  RequestNumbers* const numbers_;
  Call call_;
  absl::InlinedVector<Write, 1> copies_;  // one write is copied without an allocation
  absl::InlinedVector<const Write*, 1> pointers_;
};

}  // namespace sippar::cluster
