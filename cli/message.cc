// SPDX-License-Identifier: Apache-2.0
#include "cli/message.h"

#include <fmt/format.h>

#include <cstdio>

#include "engine/program/value.h"

namespace sippar::cli {

// Messages contain names of tables and files, and texts from servers, which may hold control
// characters. Escaping keeps these from controlling the terminal.
void PrintMessage(std::string_view text) { fmt::print(stderr, "{}\n", engine::PrintEscaped(text)); }

void PrintMessage(std::string_view command, std::string_view text) {
  PrintMessage(fmt::format("{}: {}", command, text));
}

int Failed(std::string_view command, const Status& status, int code) {
  PrintMessage(command, MessageOf(status));
  return code;
}

}  // namespace sippar::cli
