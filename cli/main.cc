// `sippar COMMAND …`: finds the command and runs it. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "query/query_error.h"

namespace sippar::cli {
namespace {

constexpr Command kCommands[] = {
    {"query", "run statements in a script", RunQuery},
    {"shell", "type statements and see results", RunShell},
#ifdef SIPPAR_WITH_IMPORT
    {"import", "load web pages or files into a table", RunImport},
#endif
#ifdef SIPPAR_WITH_EXPORT
    {"export", "write a table to a file", RunExport},
#endif
#ifdef SIPPAR_WITH_MOUNT
    {"mount", "show the tables as directories", RunMount},
#endif
#ifdef SIPPAR_WITH_ADMIN
    {"admin", "look into a store: tables, sizes, metrics, checks", RunAdmin},
#endif
    {"serve", "answer the Cloud Bigtable API: every client of it works", RunServe},
    {"bench", "measure reads and writes, with percentiles and charts", RunBench},
};

std::string Usage() {
  std::string text =
      "sippar: tables of rows, columns and versions (Bigtable, OSDI 2006) in one program\n\n"
      "usage: sippar COMMAND …      sippar COMMAND --help shows options and examples\n\n";
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<8} {}\n", command.name, command.summary);
  }
  return text +
         "\nexample:\n"
         "  sippar query ./data -e \"CREATE TABLE t (FAMILY f)\"\n"
         "  sippar query ./data -e \"INSERT INTO t ROW 'r' SET f:q = 'v'; SELECT * FROM t\"\n"
         "  sippar shell ./data\n";
}

int UnknownCommand(std::string_view name) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  std::string near = query::NearestWord(name, names);
  std::string hint = near.empty() ? "" : fmt::format(", did you mean {}?", near);
  fmt::print(stderr, "sippar: unknown command '{}'{}\nsippar --help lists the commands\n", name,
             hint);
  return kExitUsage;
}

}  // namespace

int Main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "{}", Usage());
    return kExitUsage;
  }
  std::string_view name = argv[1];
  if (name == "--version" || name == "-V") {
    fmt::print("sippar {}\n", SIPPAR_VERSION);
    return kExitOk;
  }
  if (name == "--help" || name == "-h" || name == "help") {
    fmt::print("{}", Usage());
    return kExitOk;
  }
  for (const Command& command : kCommands) {
    if (name == command.name) return command.run(argc - 1, argv + 1);
  }
  return UnknownCommand(name);
}

}  // namespace sippar::cli

int main(int argc, char** argv) { return sippar::cli::Main(argc, argv); }
