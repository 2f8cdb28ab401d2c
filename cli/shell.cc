// `sippar shell TARGET`: prompt, editing, history, completion; without a terminal it is a batch
// query. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <clocale>
#include <string>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/exit_code.h"
#include "cli/history.h"
#include "cli/line_editor.h"
#include "cli/meta_commands.h"
#include "cli/script.h"
#include "cli/signals.h"
#include "query/analyze/compile.h"
#include "query/parse/split.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar shell ./data\n"
    "  sippar shell ./data < script.sql\n"
    "inside: statements end with ; and may span lines, \\? lists the shell's commands,\n"
    "Ctrl-C clears the line or cancels the running statement, Ctrl-D leaves\n";

struct ShellOptions {
  std::string target;
  bool quiet = false;
  bool no_history = false;
  OutputSettings output;
};

// The command that somebody means who types a word alone, as other shells take it. "": none.
std::string_view CommandOfWord(std::string_view text) {
  text = text.substr(std::min(text.find_first_not_of(" \n"), text.size()));
  text = text.substr(0, text.find_last_not_of(" \n;") + 1);
  auto is = [text](std::string_view word) { return query::SameWord(text, word); };
  if (is("help") || is("?")) return "\\?";
  return is("exit") || is("quit") ? "\\q" : "";
}

// May Enter run this text? Blank text too: it gives a new prompt.
bool IsReady(std::string_view text) {
  if (!CommandOfWord(text).empty()) return true;
  query::Completeness state = query::CompletenessOf(text);
  return state == query::Completeness::kComplete || state == query::Completeness::kEmpty;
}

class Shell {
 public:
  explicit Shell(ShellOptions* options)
      : store_(options->target),
        runner_(&store_, &options->output, RunSettings{.interactive = true}),
        meta_(&runner_),
        quiet_(options->quiet),
        keep_history_(!options->no_history) {}

  int Run() {
    if (int code = Open(); code != kExitOk) return code;
    if (keep_history_) {
      history_.Load();
      meta_.set_history_file(history_.path());
    }
    LineEditor editor({IsReady, [this](std::string_view text, size_t caret) {
                         return FindCandidates(&store_, text, caret);
                       }});
    while (!meta_.quit()) {
      std::string text;
      LineEvent event = editor.Read(Prompt(), &text);
      if (event == LineEvent::kEnd) {
        if (MayLeave()) break;
        continue;
      }
      Remember(text);
      if (event == LineEvent::kText) RunText(text);
    }
    Status closed = store_.Close();
    if (!closed.ok()) fmt::print(stderr, "sippar shell: {}\n", MessageOf(closed));
    return closed.ok() ? kExitOk : kExitFailed;
  }

 private:
  // A missing store is no error yet: the first CREATE TABLE makes it.
  int Open() {
    Status opened = store_.Open(false);
    if (opened.ok()) {
      if (!quiet_) fmt::print(stderr, "sippar {} (\\? for help)\n", store_.target());
      return kExitOk;
    }
    if (opened.code() != StatusCode::kNotFound) {
      runner_.PrintError(opened);
      return kExitNoStore;
    }
    if (!quiet_) {
      fmt::print(stderr, "no store in {} yet: CREATE TABLE makes it (\\? for help)\n",
                 store_.target());
    }
    return kExitOk;
  }

  std::string Prompt() {
    std::string open = store_.session() == nullptr ? "" : store_.session()->transaction();
    if (open.empty()) return "sippar> ";
    return fmt::format("sippar [{}]> ", engine::PrintEscaped(open));
  }

  bool MayLeave() {
    bool open = store_.session() != nullptr && !store_.session()->transaction().empty();
    if (!open || asked_) return true;
    asked_ = true;
    fmt::print(stderr,
               "a row transaction is open: COMMIT or ROLLBACK, or Ctrl-D again to drop it\n");
    return false;
  }

  void Remember(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    if (keep_history_) history_.Add(text);
  }

  void RunText(const std::string& text) {
    asked_ = false;
    if (std::string_view command = CommandOfWord(text); !command.empty()) {
      (void)meta_.Run(command);
      return;
    }
    query::SplitResult split = query::SplitStatements(text);
    ScriptPlace place{"", text, 1};
    for (const query::StatementText& statement : split.statements) {
      int code = statement.meta ? meta_.Run(statement.text) : runner_.Run(statement, place);
      if (code != kExitOk || meta_.quit()) return;
    }
  }

  Store store_;
  StatementRunner runner_;
  MetaCommands meta_;
  History history_;
  bool quiet_;
  bool keep_history_;
  bool asked_ = false;
};

// stdin or stdout is no terminal: the same statements without a prompt.
int RunBatch(ShellOptions* options) {
  Store store(options->target);
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
  app.add_option("TARGET", options.target, "directory of the store, or host:port")->required();
  app.add_option("--format", options.output.format, "how rows look; \\format changes it");
  app.add_flag("-q,--quiet", options.quiet, "no greeting");
  app.add_flag("--no-history", options.no_history, "neither read nor write the history file");
  app.footer(kExamples);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  if (!options.output.format.empty()) {
    Status status = query::NewFormatter(options.output.format, {}).status();
    if (!status.ok()) {
      fmt::print(stderr, "sippar shell: {}\n", MessageOf(status));
      return kExitUsage;
    }
  }
  std::setlocale(LC_CTYPE, "");
  InstallSignalHandlers();
  bool interactive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  if (!interactive) return RunBatch(&options);
  options.output.options.color = std::getenv("NO_COLOR") == nullptr;
  return Shell(&options).Run();
}

}  // namespace sippar::cli
