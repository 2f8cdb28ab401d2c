// `sippar COMMAND …`: finds the command and runs it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "query/session/query_error.h"

namespace sippar::cli {
namespace {

// The table lists only the commands of this build: help does not show the others, and their names
// are reported as unknown.
constexpr Command kCommands[] = {
    {"query", "run statements in a script", RunQuery},
    {"shell", "type statements and see results", RunShell},
#ifdef SIPPAR_WITH_DEMO
    {"demo", "a store of web pages to play with, in the shell", RunDemo},
#endif
#ifdef SIPPAR_WITH_IMPORT
    {"import", "load web pages or files into a table", RunImport},
#endif
#ifdef SIPPAR_WITH_EXPORT
    {"export", "write a table to a file", RunExport},
#endif
    {"dump", "write all tables to a file or a folder", RunDump},
    {"restore", "make the tables of a dump again", RunRestore},
#ifdef SIPPAR_WITH_MOUNT
    {"mount", "show the tables as directories", RunMount},
#endif
#ifdef SIPPAR_WITH_ADMIN
    {"admin", "look into a store: tables, sizes, metrics, checks", RunAdmin},
#endif
    {"serve", "serve the Cloud Bigtable API to its client libraries", RunServe},
    {"cluster", "run a whole cluster of processes on this machine", RunCluster},
    {"bench", "measure reads and writes, with percentiles and charts", RunBench},
};

std::string Usage() {
  std::string text =
      "sippar: tables of rows, columns and versions (Bigtable, OSDI 2006) in one program\n\n"
      "usage: sippar COMMAND …      sippar help COMMAND shows options and examples\n\n";
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<8} {}\n", command.name, command.summary);
  }
  return text +
         "\nexample:\n"
         "  sippar demo\n"
         "  sippar query ./data -e \"CREATE TABLE t (FAMILY f)\"\n"
         "  sippar query ./data -e \"INSERT INTO t ROW 'r' SET f:q = 'v'; SELECT * FROM t\"\n"
         "  sippar shell ./data\n";
}

int UnknownCommand(std::string_view name) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  std::string near = query::NearestWord(name, names);
  std::string hint = near.empty() ? "" : fmt::format(", did you mean {}?", near);
  PrintMessage("sippar", fmt::format("unknown command '{}'{}", name, hint));
  PrintMessage("sippar --help lists the commands");
  return kExitUsage;
}

// `sippar help import csv` runs `sippar import csv --help`.
int Help(int argc, char** argv) {
  std::string flag = "--help";
  // The subcommand precedes --help, because every command prints the help of its own subcommands.
  std::vector<char*> words(argv + 2, argv + argc);
  words.push_back(flag.data());
  for (const Command& command : kCommands) {
    if (command.name == std::string_view(words[0])) {
      return command.run(static_cast<int>(words.size()), words.data());
    }
  }
  return UnknownCommand(words[0]);
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
  bool help = name == "--help" || name == "-h" || name == "help";
  if (help && argc == 2) {
    fmt::print("{}", Usage());
    return kExitOk;
  }
  if (help) return Help(argc, argv);
  for (const Command& command : kCommands) {
    if (name != command.name) continue;
    int code = command.run(argc - 1, argv + 1);
    // A command that was ended by SIGTERM or SIGHUP has already closed its store. The exit code
    // then names the signal, as shells expect.
    return EndSignal() == 0 ? code : 128 + EndSignal();
  }
  return UnknownCommand(name);
}

}  // namespace sippar::cli

int main(int argc, char** argv) { return sippar::cli::Main(argc, argv); }
