// Handles Ctrl-C, SIGTERM, SIGHUP and the timeout of a statement. The handlers are
// async-signal-safe: they store to atomics and call Session::Cancel, which is async-signal-safe as
// well; all but the timeout's write one byte to a pipe that the prompt, scripts and \watch poll.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "query/query.h"

namespace sippar::cli {

// Installs the handlers, once per process. Ignores SIGPIPE, so that writes return EPIPE.
void InstallSignalHandlers();
int InterruptPipe();  // descriptor that becomes readable at Ctrl-C, SIGTERM and SIGHUP
// The number of the SIGTERM or SIGHUP that arrived, or 0. After such a signal the command must end
// as after Ctrl-C and close its store.
int EndSignal();
void DrainInterruptPipe();

// While a CancelScope exists, Ctrl-C (here also SIGTERM and SIGHUP) and the end of the timeout (0:
// none) cancel `session`. If `session` is null, they only set the flags that the functions below
// return. Only one CancelScope may exist at a time.
class CancelScope {
 public:
  CancelScope(query::Session* session, int64_t timeout_us);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
  bool interrupted() const;
  bool timed_out() const;
  const std::atomic<bool>* stopped() const;  // flag set by Ctrl-C or the timeout
};

// True if Ctrl-C or the timeout came since the last CancelScope began or ForgetInterrupt was
// called, or if SIGTERM or SIGHUP has ever arrived.
bool InterruptSeen();
void ForgetInterrupt();
// The total number of Ctrl-C, SIGTERM and SIGHUP so far. Unlike InterruptSeen, it also counts those
// that arrive between two statements.
uint64_t InterruptCount();

}  // namespace sippar::cli
