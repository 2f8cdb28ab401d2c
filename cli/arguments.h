// The arguments of a command: what CLI11 does not say well. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace sippar::cli {

// Is the first word no subcommand of `app`? Says so, with the nearest one and all there are: the
// parser would only say that one is required.
bool IsUnknownWord(const CLI::App& app, int argc, char** argv);

// Prints the help that was asked for, or what is wrong; gives the exit code.
int ExitOf(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sippar::cli
