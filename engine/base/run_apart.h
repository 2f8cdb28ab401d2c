// A call into a library that cannot be stopped, for a caller that can. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <functional>

#include "engine/base/status.h"
#include "engine/base/stop_signal.h"

namespace sippar::engine {

// Runs `work` on a thread of its own and waits for it. When `stop` says so before it has ended,
// this returns that status and leaves the thread to itself: `work` owns all that it uses, and its
// argument, which says then that it was left, so that it may end between two steps.
// kResourceExhausted while too many threads that were left still run. In a simulation, whose clock
// stands still meanwhile, `work` runs on the caller's thread.
[[nodiscard]] Status RunApart(std::function<void(const StopSignal& left)> work,
                              const StopSignal& stop);

}  // namespace sippar::engine
