// `sippar query TARGET`: runs statements from -e, -f or stdin. Rows go to stdout or to the file of
// -o, everything else to stderr.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/meta_commands.h"
#include "cli/parameter.h"
#include "cli/script.h"
#include "cli/signals.h"
#include "cli/wait_option.h"
#include "query/parse/parse.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar query ./data -e \"SELECT row, anchor:* FROM web WHERE row STARTS WITH 'com.' LIMIT "
    "5\"\n"
    "  sippar query ./data -f setup.sql --echo\n"
    "  sippar query ./data --param key=com.cnn.www -e 'SELECT * FROM web WHERE row = @key'\n"
    "  echo 'SHOW TABLES;' | sippar query ./data --format json\n"
    "exit codes: 0 fine, 1 a statement failed, 2 bad command line, 3 no store, 4 nothing applied\n"
    "or found (with --fail-on-…), 5 timeout, 130 interrupted, 141 the output was closed\n";

// One -e or -f option. The options keep their order on the command line.
struct Piece {
  bool is_file;
  std::string text;
};

struct QueryOptions {
  std::string target;
  std::string output;
  std::string timeout;
  std::vector<std::string> parameters;
  std::vector<Piece> pieces;
  std::string null_text;
  bool no_header = false;
  bool keep_going = false;
  OutputSettings settings;
  RunSettings run;
  cluster::Patience patience;
};

// The options -e and -f are handled as they are parsed (trigger_on_parse), which keeps their order.
void Describe(CLI::App* app, QueryOptions* options) {
  app->add_option("TARGET", options->target, kTargetHelp)->required();
  app->add_option_function<std::vector<std::string>>(
         "-e,--execute",
         [options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) options->pieces.push_back({false, text});
         },
         "statements to run; may be given several times")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->trigger_on_parse();
  app->add_option_function<std::vector<std::string>>(
         "-f,--file",
         [options](const std::vector<std::string>& files) {
           for (const std::string& file : files) options->pieces.push_back({true, file});
         },
         "script to run, - is stdin; may be given several times")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->trigger_on_parse();
  app->add_option("--format", options->settings.format,
                  "box line plain markdown csv tsv json jsonl jsonl-b64 raw cells insert null");
  app->add_option(
      "-o,--output", options->output,
      "file for the rows instead of stdout, replaced when every statement succeeded; packed "
      "when it ends in .zst or .gz");
  app->add_option("--param", options->parameters, "value of @name: name=text or name:TYPE=value")
      ->allow_extra_args(false);
  app->add_option("--timeout", options->timeout, "per statement, such as 30s or 500ms");
  AddWaitOption(app, &options->patience);
  app->add_option("--null", options->null_text, "how NULL looks in box, line and plain");
  app->add_flag("--no-header", options->no_header, "csv and tsv without column names");
  app->add_flag("--keep-going", options->keep_going, "run on after a failed statement");
  app->add_flag("--echo", options->run.echo, "print each statement to stderr before it runs");
  app->add_flag("--timing", options->settings.timing, "print how long each statement took");
  app->add_flag("-q,--quiet", options->run.quiet, "no messages such as '1 row written'");
  app->add_flag("--fail-on-empty", options->run.fail_on_empty, "exit 4 when there are no rows");
  app->add_flag("--fail-on-unapplied", options->run.fail_on_unapplied,
                "exit 4 when an IF condition did not hold");
  app->footer(kExamples);
}

int UsageError(std::string_view message) {
  PrintMessage("sippar query", message);
  return kExitUsage;
}

// Checks the options that CLI11 cannot check: formats and durations.
Status CheckOptions(QueryOptions* options) {
  if (!options->settings.format.empty()) {
    RETURN_IF_ERROR(query::NewFormatter(options->settings.format, {}).status());
  }
  if (!options->timeout.empty()) {
    // Parsed as a DURATION of the language, so that --timeout accepts what a statement accepts.
    auto value = ParseParameter("timeout:DURATION=" + options->timeout);
    if (!value.ok() || value->second.integer() <= 0) {
      return InvalidArgument("--timeout: write a time such as 30s or 500ms");
    }
    options->run.timeout_us = value->second.integer();
  }
  options->settings.options.header = !options->no_header;
  if (!options->null_text.empty()) options->settings.options.null_text = options->null_text;
  return OkStatus();
}

int RunPieces(const QueryOptions& options, StatementRunner* runner) {
  MetaCommands meta(runner);
  Script script(
      runner, [&meta](std::string_view line) { return meta.Run(line); }, options.keep_going);
  std::vector<Piece> pieces = options.pieces;
  if (pieces.empty()) pieces.push_back({true, "-"});
  int failed = kExitOk;
  for (const Piece& piece : pieces) {
    int code = piece.is_file ? script.RunFile(piece.text) : script.RunText(piece.text, "");
    if (code != kExitOk && failed == kExitOk) failed = code;
    if (code != kExitOk && !options.keep_going) break;
    if (meta.quit()) break;
  }
  return failed;
}

// Closes the store. A row transaction that is still open is an error, because its writes are
// discarded.
int EndSession(Store* store, int code) {
  if (store->session() != nullptr && !store->session()->transaction().empty()) {
    fmt::print(stderr,
               "error OPEN_TRANSACTION: BEGIN ROW without COMMIT at the end; its writes were "
               "rolled back\n");
    if (code == kExitOk) code = kExitFailed;
  }
  if (Status closed = store->Close(); !closed.ok()) {
    PrintMessage("sippar query", MessageOf(closed));
    if (code == kExitOk) code = kExitFailed;
  }
  return code;
}

}  // namespace

int RunQuery(int argc, char** argv) {
  QueryOptions options;
  CLI::App app("Runs statements and prints their rows.", "sippar query");
  Describe(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  if (Status status = CheckOptions(&options); !status.ok()) return UsageError(MessageOf(status));
  // Installed before the store is opened, so that Ctrl-C also ends the wait for the store.
  InstallSignalHandlers();
  Store store(options.target, options.patience);
  StatementRunner runner(&store, &options.settings, options.run);
  for (const std::string& parameter : options.parameters) {
    Status status = runner.SetParameter(parameter);
    if (!status.ok()) return UsageError(MessageOf(status));
  }
  Output* output = runner.output();
  if (Status status = output->Redirect(options.output, Appearance::kWhole); !status.ok()) {
    return UsageError(MessageOf(status));
  }
  int code = EndSession(&store, RunPieces(options, &runner));
  // An incomplete result must not replace an earlier file.
  bool keeps_rows =
      code == kExitOk || code == kExitUnapplied || (options.keep_going && code == kExitFailed);
  if (!keeps_rows && !options.output.empty()) {
    PrintMessage("sippar query",
                 options.output + " is left as it was, as not every statement succeeded");
  }
  Status written = keeps_rows ? output->Close() : output->Flush();
  if (keeps_rows && !written.ok()) {
    if (output->closed_pipe()) return kExitClosedPipe;
    PrintMessage("sippar query", MessageOf(written));
    return kExitFailed;
  }
  return code;
}

}  // namespace sippar::cli
