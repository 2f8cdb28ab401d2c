// What a tablet answered to the writes that carry a request id, so that a write that is repeated
// (its answer was lost, its server died, its tablet moved) is not done twice. The ids lie in the
// log records of the writes and, from a flush on, in the tablet's state; halves of a split get a
// copy, as ids are never reused.
//
// An answer is kept until its client says that it has it (RequestId::answered_below), or has been
// silent for kRequestMemoryUs since it was heard of in this process; so the memory is as large as
// what is under way. That time is of the monotonic clock: a wall clock that jumps, or another
// server's, must not forget what may be asked for again (FAULTS.md C1, C3). Thread safe.
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

// As long as Cloud Bigtable remembers an Idempotency.
inline constexpr int64_t kRequestMemoryUs = int64_t{15} * 60 * 1'000'000;
// Beyond, the answers of the clients that were silent longest are forgotten.
inline constexpr size_t kRequestMemoryBytesMax = 4 << 20;

class RequestMemory {
 public:
  // The answer to a request that was carried out; nullopt: it was not. kAborted: its client has had
  // the answer, so this is a copy that was under way for long.
  [[nodiscard]] StatusOr<std::optional<std::string>> Find(const RequestId& request) const;
  // `wall_us` is the write's time, `now_us` this process's monotonic one.
  void Remember(const RequestId& request, std::string_view answer, int64_t wall_us, int64_t now_us);

  // "" when nothing is remembered.
  std::string Encode() const;
  // Adds what `bytes` remember; all are heard of at `now_us`. kDataLoss; "" is OK.
  [[nodiscard]] Status Add(std::string_view bytes, int64_t now_us);

 private:
  struct Client {
    uint64_t answered_below = 0;
    int64_t last_us = 0;                      // wall time of its last write
    int64_t heard_us = 0;                     // monotonic, in this process
    std::map<uint64_t, std::string> answers;  // by number
  };
  void Forget(int64_t now_us) REQUIRES(mutex_);
  void Erase(std::map<uint64_t, Client>::iterator client) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<uint64_t, Client> clients_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;          // about
  int64_t next_look_us_ GUARDED_BY(mutex_) = 0;  // for clients that are silent
};

// Both, for tablets that become one. kDataLoss.
[[nodiscard]] StatusOr<std::string> JoinRequests(const std::string& left, const std::string& right);

}  // namespace sippar::engine
