// Passes a call's deadline and cancel flag on to the work that the server does for the call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>

#include "cluster/api/call_options.h"
#include "cluster/net/server_call.h"
#include "engine/base/clock.h"

namespace sippar::cluster {

// Returns options with the time that is left until the caller's deadline, and with the call's
// cancel flag, which is also set when the caller's connection ends. The flag keeps the call object
// alive.
inline CallOptions OptionsOf(const std::shared_ptr<net::ServerCall>& call) {
  CallOptions options;
  options.cancel = CancelFlag(call, call->cancelled());
  if (call->deadline_nanos() != 0) {
    const int64_t now_nanos = engine::Clock::System()->MonotonicNanos();
    options.timeout_us = std::max<int64_t>((call->deadline_nanos() - now_nanos) / 1000, 1);
  }
  return options;
}

}  // namespace sippar::cluster
