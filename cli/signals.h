// Ctrl-C and the timeout of a statement. The handlers only store to atomics, call Session::Cancel
// (made for that) and write one byte to a pipe that the prompt polls. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstdint>

#include "query/query.h"

namespace sippar::cli {

// Installs the handlers, once per process. SIGPIPE is ignored: writes report EPIPE.
void InstallSignalHandlers();
int InterruptPipe();  // readable after Ctrl-C
void DrainInterruptPipe();

// While it lives, Ctrl-C cancels `session`, and so does the end of the timeout (0: none).
class CancelScope {
 public:
  CancelScope(query::Session* session, int64_t timeout_us);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
  bool interrupted() const;
  bool timed_out() const;
};

}  // namespace sippar::cli
