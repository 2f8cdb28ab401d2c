// Handles Ctrl-C, SIGTERM, SIGHUP and the timeout of a statement. The handlers are
// async-signal-safe: they store to atomics, call Session::Cancel (made for that) and write one byte
// to a pipe that the prompt polls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "query/query.h"

namespace sippar::cli {

// Installs the handlers, once per process. Ignores SIGPIPE, so that writes return EPIPE.
void InstallSignalHandlers();
int InterruptPipe();  // a descriptor that becomes readable at Ctrl-C
// The number of the SIGTERM or SIGHUP that came, or 0. The command must then end as after Ctrl-C
// and close its store.
int EndSignal();
void DrainInterruptPipe();

// While it lives, Ctrl-C and the end of the timeout (0: none) cancel `session`; if `session` is
// null, they only set the flags below. Only one may exist at a time.
class CancelScope {
 public:
  CancelScope(query::Session* session, int64_t timeout_us);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
  bool interrupted() const;
  bool timed_out() const;
  const std::atomic<bool>* stopped() const;  // set by Ctrl-C or the timeout
};

// True if Ctrl-C or the timeout came since the last CancelScope began or ForgetInterrupt was
// called, or if a SIGTERM or SIGHUP ever came.
bool InterruptSeen();
void ForgetInterrupt();
// How many Ctrl-C, SIGTERM and SIGHUP ever came. Unlike InterruptSeen, it misses none that comes
// between two statements.
uint64_t InterruptCount();

}  // namespace sippar::cli
