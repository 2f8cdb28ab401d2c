// Waits for the signal or the condition that ends `sippar serve`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <functional>

namespace sippar::cli {

// Blocks the signals that end a server, in this thread and in every thread that it starts later, so
// that only AwaitStop receives them. Ignores SIGPIPE. The process must have only one thread.
sigset_t BlockStopSignals();
// Returns when one of `signals` has arrived or `is_over` has returned true. `is_over` is called
// once a second and may be null.
void AwaitStop(const sigset_t& signals, const std::function<bool()>& is_over);

}  // namespace sippar::cli
