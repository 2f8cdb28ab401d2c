// Help for parsing the arguments of a command, where CLI11's own messages are not enough.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace sippar::cli {

// Help text of the argument TARGET: the forms that it may have.
inline constexpr char kTargetHelp[] =
    "directory, host:port, or zk://HOST:PORT,.../NAME of a cluster";

// Returns true and prints a message if the first argument is not a subcommand of `app`. The message
// names the nearest subcommand and all others; CLI11 would only say that a subcommand is required.
bool IsUnknownWord(const CLI::App& app, int argc, char** argv);

// Prints the requested help, or what is wrong with the arguments. Returns the exit code.
int ExitOf(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sippar::cli
