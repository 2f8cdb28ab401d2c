// Ctrl-C, SIGTERM and the timeout of a statement. The handlers only store to atomics, call
// Session::Cancel (made for that) and write one byte to a pipe that the prompt polls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "query/query.h"

namespace sippar::cli {

// Installs the handlers, once per process. SIGPIPE is ignored: writes report EPIPE.
void InstallSignalHandlers();
int InterruptPipe();  // readable after Ctrl-C
// SIGTERM or SIGHUP, if one came: the command is to end, as after Ctrl-C, and to close its store.
int EndSignal();
void DrainInterruptPipe();

// While it lives, Ctrl-C cancels `session`, and so does the end of the timeout (0: none). Without a
// session it only says so.
class CancelScope {
 public:
  CancelScope(query::Session* session, int64_t timeout_us);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
  bool interrupted() const;
  bool timed_out() const;
  const std::atomic<bool>* stopped() const;  // by either
};

// Ctrl-C came, or the timeout's end, since the statement began or ForgetInterrupt was called.
bool InterruptSeen();
void ForgetInterrupt();

}  // namespace sippar::cli
