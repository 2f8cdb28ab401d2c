// Lets a caller stop waiting for a call that itself cannot be interrupted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engine/base/status.h"
#include "engine/base/stop_signal.h"

namespace sippar::engine {

// Runs `work` on a thread of its own and waits until it ends. When `stop` reports an error first,
// returns that error and abandons the thread; `work` must therefore own everything it uses. The
// signal `left` then tells `work` that it was abandoned, so that it can end early. Returns
// kResourceExhausted while too many abandoned threads still run, or when the OS cannot start
// another thread. In a simulation, whose clock does not advance during the call, `work` runs on the
// caller's thread, and `left` is `stop`.
[[nodiscard]] Status RunApart(std::function<void(const StopSignal& left)> work,
                              const StopSignal& stop);

}  // namespace sippar::engine
