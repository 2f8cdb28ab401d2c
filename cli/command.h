// Command: one entry of the command table in main.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sippar::cli {

struct Command {
  const char* name;
  const char* summary;                // one line for `sippar --help`
  int (*run)(int argc, char** argv);  // argv[0] is the command's name; returns the exit code
};

}  // namespace sippar::cli
