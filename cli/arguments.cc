// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/message.h"
#include "query/session/query_error.h"

namespace sippar::cli {

bool IsUnknownWord(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return false;
  std::string word = argv[1];
  std::vector<std::string> names;
  std::string list;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == word) return false;
    names.push_back(sub->get_name());
    list += " " + sub->get_name();
  }
  std::string near = query::NearestWord(word, names);
  PrintMessage(app.get_name(),
               fmt::format("unknown word '{}'{}; use one of:{}", word,
                           near.empty() ? "" : fmt::format(", did you mean {}?", near), list));
  return true;
}

int ExitOf(const CLI::App& app, const CLI::ParseError& error) {
  // CLI11 prints to streams. They are captured so that errors pass through PrintMessage, which
  // escapes what a user's argument could send to the terminal.
  std::ostringstream help, problem;
  bool fine = app.exit(error, help, problem) == 0;
  fmt::print("{}", help.str());
  std::istringstream lines(problem.str());
  for (std::string line; std::getline(lines, line);) PrintMessage(line);
  return fine ? kExitOk : kExitUsage;
}

}  // namespace sippar::cli
