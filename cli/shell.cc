// `sippar shell TARGET`: prompt, editing, history and completion. If stdin or stdout is not a
// terminal, it runs stdin as `sippar query` does.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include <string>
#include <utility>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/interactive_shell.h"
#include "cli/message.h"
#include "cli/meta_commands.h"
#include "cli/script.h"
#include "cli/signals.h"
#include "cli/wait_option.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar shell ./data\n"
    "  sippar shell ./data < script.sql\n"
    "inside: statements end with ; and may span lines, \\? lists the shell's commands,\n"
    "Ctrl-C drops what is typed or cancels the running statement, Ctrl-D leaves\n";

// Runs the same statements without a prompt, if stdin or stdout is not a terminal.
int RunBatch(ShellOptions* options) {
  Store store(options->target, options->patience);
  StatementRunner runner(&store, &options->output, RunSettings{});
  MetaCommands meta(&runner);
  Script script(
      &runner, [&meta](std::string_view line) { return meta.Run(line); }, false);
  int code = script.RunFile("-");
  if (Status closed = store.Close(); !closed.ok() && code == kExitOk) code = kExitFailed;
  return code;
}

}  // namespace

int RunShell(int argc, char** argv) {
  ShellOptions options;
  CLI::App app("Statements at a prompt.", "sippar shell");
  app.add_option("TARGET", options.target, kTargetHelp)->required();
  app.add_option("--format", options.output.format, "how rows look; \\format changes it");
  app.add_flag("-q,--quiet", options.quiet, "no greeting");
  app.add_flag("--no-history", options.no_history, "neither read nor write the history file");
  app.add_flag("--no-start-file", options.no_start_file,
               "do not run ~/.config/sippar/shellrc ($SIPPAR_SHELLRC names another file)");
  AddWaitOption(&app, &options.patience);
  app.footer(kExamples);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  if (!options.output.format.empty()) {
    Status status = query::NewFormatter(options.output.format, {}).status();
    if (!status.ok()) {
      PrintMessage("sippar shell", MessageOf(status));
      return kExitUsage;
    }
  }
  InstallSignalHandlers();
  return IsInteractive() ? RunInteractiveShell(std::move(options)) : RunBatch(&options);
}

}  // namespace sippar::cli
