// Remembers the answers to writes that carry a request id, so that a repeated write (its answer was
// lost, its server died, its tablet moved) is not done twice. The ids are in the log records of the
// writes and, from the next flush on, in the tablet's state. Both halves of a split get a copy,
// which is safe because ids are never reused.
//
// An answer is kept until its client reports that it has the answer (RequestId::answered_below),
// until the client has been silent for kRequestMemoryUs in this process, or until the memory
// exceeds kRequestMemoryBytesMax. So the memory holds about the answers to requests in flight.
// Silence is measured with the monotonic clock: a wall clock that jumps, or that of another server,
// must not make the tablet forget an answer that its client may still request (tests/FAULTS.md C1,
// C3). Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/base/thread.h"
#include "engine/model/mutation.h"

namespace sippar::engine {

// The time for which Cloud Bigtable remembers an Idempotency token.
inline constexpr int64_t kRequestMemoryUs = int64_t{15} * 60 * 1'000'000;
// Above this size, the clients with the oldest last write are forgotten.
inline constexpr size_t kRequestMemoryBytesMax = 4 << 20;

class RequestMemory {
 public:
  // The answer to a request that was carried out; nullopt if it was not. kAborted: the client has
  // already reported that it has the answer, so this is a late copy of the request.
  [[nodiscard]] StatusOr<std::optional<std::string>> Find(const RequestId& request) const;
  // `wall_us` is the time of the write; `now_us` is this process's monotonic time.
  void Remember(const RequestId& request, std::string_view answer, int64_t wall_us, int64_t now_us);

  // Encodes all clients for the tablet's state; "" if there are none.
  std::string Encode() const;
  // Adds the clients and answers encoded in `bytes`, as if every client had been heard from at
  // `now_us`. "" adds none; kDataLoss if `bytes` do not decode.
  [[nodiscard]] Status Add(std::string_view bytes, int64_t now_us);

 private:
  struct Client {
    uint64_t answered_below = 0;
    int64_t last_us = 0;                      // wall time of its last write
    int64_t heard_us = 0;                     // monotonic time of its last write in this process
    std::map<uint64_t, std::string> answers;  // key: request number
  };
  void Forget(int64_t now_us) REQUIRES(mutex_);
  void Erase(std::map<uint64_t, Client>::iterator client) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<uint64_t, Client> clients_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;          // approximate memory of all answers
  int64_t next_look_us_ GUARDED_BY(mutex_) = 0;  // time of the next search for silent clients
};

// Joins the memories of two tablets that are merged. kDataLoss if either cannot be decoded.
[[nodiscard]] StatusOr<std::string> JoinRequests(const std::string& left, const std::string& right);

}  // namespace sippar::engine
