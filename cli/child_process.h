// Starts other programs: the pager, an editor and the command of \! for the shell, the mount of
// `sippar demo`.
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
  int input = -1;  // write end of the pipe to the child's stdin; -1: the child shares our stdin
};

struct ChildOptions {
  bool has_input = false;  // the child's stdin is a pipe
  bool is_silent = false;  // the child's stdout and stderr go to /dev/null
  // Environment variables to set for the child if they are not set already.
  std::vector<std::pair<std::string, std::string>> defaults;
};

// Starts the program words[0], which is looked up in PATH. Signals have their default action in the
// child, so Ctrl-C reaches both the child and this process.
[[nodiscard]] StatusOr<ChildProcess> StartChild(const std::vector<std::string>& words,
                                                const ChildOptions& options);
// Waits until the child ends. Returns its exit code, 128 plus the signal that ended it, or 127 if
// this process has no such child.
int WaitForChild(pid_t pid);
// Returns true if the child has ended. The child is then reaped, so neither WaitForChild nor
// ChildHasEnded may be called with this `pid` again.
bool ChildHasEnded(pid_t pid);

// Quotes `text`, if needed, so that sh reads it as one word.
std::string WordForSh(const std::string& text);

}  // namespace sippar::cli
