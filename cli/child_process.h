// Starts other programs from the shell: the pager, an editor, the command of \!.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/base/status.h"

namespace sippar::cli {

struct ChildProcess {
  pid_t pid = -1;
  int input = -1;  // the write end of the pipe that is its stdin; -1: it has our stdin
};

struct ChildOptions {
  bool has_input = false;  // its stdin is a pipe
  bool is_silent = false;  // its stdout and stderr go to /dev/null
  // Variables that it sees unless the environment has them.
  std::vector<std::pair<std::string, std::string>> defaults;
};

// Starts words[0], found in PATH. Signals have their default action in it: Ctrl-C reaches it as it
// reaches us.
[[nodiscard]] StatusOr<ChildProcess> StartChild(const std::vector<std::string>& words,
                                                const ChildOptions& options);
// Waits for its end. Returns its exit code, or 128 and the signal that ended it.
int WaitForChild(pid_t pid);
// True if it has ended; it is then no longer known, so call neither function again.
bool ChildHasEnded(pid_t pid);

// `text` as one word of the shell command language, in quotes if it needs them.
std::string WordForSh(const std::string& text);

}  // namespace sippar::cli
