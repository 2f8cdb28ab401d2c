// Repeats requests that are safe to repeat, such as reads, until the call's deadline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "cluster/lock/zookeeper/zookeeper_handle.h"
#include "engine/base/clock.h"

namespace sippar::cluster::zookeeper {

// Returns true if `code`, other than kClosing, says that the outcome is unknown and there is time
// for another try. Before it returns true, it sleeps for 2 ms, in which the client may notice that
// its connection is lost.
inline bool MayAskAgain(int code, int64_t deadline_nanos) {
  constexpr int64_t kPauseMicros = 2'000;
  if (!IsUnknown(code) || code == kClosing) return false;
  engine::Clock* clock = engine::Clock::System();
  if (clock->MonotonicNanos() + kPauseMicros * 1000 >= deadline_nanos) return false;
  clock->SleepMicros(kPauseMicros);
  return true;
}

// Calls `ask()`, a read, again while its outcome is unknown and time is left. Returns the answer if
// its code is kOk or kNoNode, otherwise the error.
template <typename Ask>
StatusOr<Answer> ReadAgain(ZooKeeperHandle* handle, int64_t deadline_nanos, std::string_view what,
                           const Ask& ask) {
  for (;;) {
    RETURN_IF_ERROR(handle->WaitConnected(deadline_nanos));
    Answer answer = ask();
    if (answer.code == kOk || answer.code == kNoNode) return answer;
    if (!MayAskAgain(answer.code, deadline_nanos)) return UnexpectedAnswer(answer.code, what);
  }
}

}  // namespace sippar::cluster::zookeeper
