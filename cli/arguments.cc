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
namespace {

// The suggestion for an unknown option: ", did you mean --NAME?" with the nearest name; "" for any
// other error.
std::string HintOf(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError)) return "";
  std::vector<std::string> names;
  std::vector<const CLI::App*> apps = {&app};
  for (const CLI::App* used : app.get_subcommands()) apps.push_back(used);
  for (const CLI::App* used : apps) {
    for (const CLI::Option* option : used->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  for (const std::string& word : app.remaining(/*recurse=*/true)) {
    if (!word.starts_with("--")) continue;
    std::string near = query::NearestWord(word.substr(0, word.find('=')), names);
    return near.empty() ? "" : fmt::format(", did you mean {}?", near);
  }
  return "";
}

}  // namespace

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
  // CLI11 prints to streams. These streams capture the text, so that PrintMessage can print errors
  // and escape control characters of the user's arguments.
  std::ostringstream help, problem;
  bool fine = app.exit(error, help, problem) == 0;
  fmt::print("{}", help.str());
  std::istringstream lines(problem.str());
  std::string hint = HintOf(app, error);
  for (std::string line; std::getline(lines, line); hint.clear()) PrintMessage(line + hint);
  return fine ? kExitOk : kExitUsage;
}

}  // namespace sippar::cli
