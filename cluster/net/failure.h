// What a failed call says in addition to its code. A call that got no answer fails with
// kUnavailable: its outcome is unknown, unless the status carries kNotDone. Both kinds travel as
// payloads of the status. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/coding.h"
#include "engine/base/status.h"

namespace sippar::net {

// Nothing of the call was done: it was never sent, or its server refused to begin it. The payload
// holds how long the caller should wait before it calls again, in microseconds.
inline constexpr char kNotDone[] = "sippar/not-done";

inline Status MarkNotDone(Status status, int64_t wait_us = 0) {
  std::string bytes;
  engine::PutSigned(&bytes, wait_us);
  status.SetPayload(kNotDone, absl::Cord(bytes));
  return status;
}
inline bool IsNotDone(const Status& status) { return status.GetPayload(kNotDone).has_value(); }
// 0: nothing was said, or call again at once.
inline int64_t WaitHintOf(const Status& status) {
  auto payload = status.GetPayload(kNotDone);
  if (!payload.has_value()) return 0;
  std::string bytes(*payload);
  return engine::Reader(bytes).Signed();
}

}  // namespace sippar::net
