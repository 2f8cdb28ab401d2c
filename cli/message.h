// Prints messages to the user on stderr.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/base/status.h"

namespace sippar::cli {

// Prints `text` and a newline. Unprintable characters are escaped, so that names, paths and keys in
// it cannot control the terminal.
void PrintMessage(std::string_view text);
// Prints "command: text", such as "sippar query: …".
void PrintMessage(std::string_view command, std::string_view text);
// Prints the error of a command that failed, and returns `code`, its exit code.
int Failed(std::string_view command, const Status& status, int code);

}  // namespace sippar::cli
