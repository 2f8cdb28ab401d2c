// The shell on a terminal: prompt, editing, history, completion, start file. Used by `sippar shell`
// and `sippar demo`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "cluster/node/open_client.h"

namespace sippar::cli {

struct ShellOptions {
  std::string target;
  bool quiet = false;
  bool no_history = false;
  bool no_start_file = false;
  OutputSettings output;
  cluster::Patience patience;
  std::vector<std::string> tries;  // statements of `sippar demo` that \try runs
};

// True if both stdin and stdout are a terminal.
bool IsInteractive();

// Runs until the user quits. Returns the exit code. The caller installs the signal handlers first.
int RunInteractiveShell(ShellOptions options);

}  // namespace sippar::cli
