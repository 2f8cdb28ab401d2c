// How a server of the command line waits for its end. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <functional>

namespace sippar::cli {

// Blocks the signals that end a server, in this thread and in every thread that it starts later, so
// that only AwaitStop receives them. Requires: the process has one thread.
sigset_t BlockStopSignals();
// Returns when one of `signals` has come or `is_over` has returned true. `is_over` is called once a
// second and may be null.
void AwaitStop(const sigset_t& signals, const std::function<bool()>& is_over);

}  // namespace sippar::cli
