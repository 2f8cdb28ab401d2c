// `sippar shell TARGET`: prompt, editing, history and completion. If stdin or stdout is no
// terminal, it runs stdin as `sippar query` does. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <clocale>
#include <string>
#include <utility>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/exit_code.h"
#include "cli/history.h"
#include "cli/line_editor.h"
#include "cli/message.h"
#include "cli/meta_commands.h"
#include "cli/script.h"
#include "cli/signals.h"
#include "cli/wait_option.h"
#include "query/analyze/compile.h"
#include "query/parse/split.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar shell ./data\n"
    "  sippar shell ./data < script.sql\n"
    "inside: statements end with ; and may span lines, \\? lists the shell's commands,\n"
    "Ctrl-C drops what is typed or cancels the running statement, Ctrl-D leaves\n";

constexpr uint64_t kRowsShown = 200;  // default of \rows

struct ShellOptions {
  std::string target;
  bool quiet = false;
  bool no_history = false;
  OutputSettings output;
  cluster::Patience patience;
};

// The command that is meant by a line in the style of other shells (help, quit, .tables); "" if
// none.
std::string CommandOfWord(std::string_view text) {
  text = text.substr(std::min(text.find_first_not_of(" \n"), text.size()));
  text = text.substr(0, text.find_last_not_of(" \n;") + 1);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kWords = {
      {{"help", "\\?"},
       {"?", "\\?"},
       {"exit", "\\q"},
       {"quit", "\\q"},
       {"clear", "\\clear"},
       {".help", "\\?"},
       {".quit", "\\q"},
       {".exit", "\\q"},
       {".tables", "\\dt"},
       {".schema", "\\d"}}};
  size_t space = std::min(text.find(' '), text.size());
  for (const auto& [word, command] : kWords) {
    bool alone = space == text.size();
    if (alone && query::SameWord(text, word)) return std::string(command);
    bool dotted = word[0] == '.' && query::SameWord(text.substr(0, space), word);
    if (dotted) return std::string(command) + std::string(text.substr(space));
  }
  // No statement begins with a dot and a letter, so ".name" can only mean a command.
  bool dotted = text.size() > 1 && text[0] == '.' && std::isalpha(static_cast<uint8_t>(text[1]));
  return dotted ? "\\" + std::string(text.substr(1)) : "";
}

class Shell {
 public:
  explicit Shell(ShellOptions* options)
      : store_(options->target, options->patience),
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
    LineEditor editor(
        [this](std::string_view text, size_t caret) { return Complete(text, caret); });
    while (!meta_.quit() && EndSignal() == 0) {
      std::string line;
      // A byte left in the pipe belongs to a statement that has ended; it must not discard the next
      // line.
      if (typed_.empty()) DrainInterruptPipe();
      LineEvent event = editor.Read(Prompt(), &line);
      if (event == LineEvent::kEnd && MayLeave()) break;
      if (event == LineEvent::kText) TakeLine(line);
      if (event == LineEvent::kInterrupt) {
        Remember(typed_ + line);
        typed_.clear();
      }
    }
    Status closed = store_.Close();
    if (!closed.ok()) PrintMessage("sippar shell", MessageOf(closed));
    return closed.ok() ? kExitOk : kExitFailed;
  }

 private:
  // A missing store is not an error yet: the first CREATE TABLE makes it.
  int Open() {
    Status opened = store_.Open(false);
    if (opened.ok()) {
      if (!quiet_) PrintMessage(fmt::format("sippar {} (\\? for help)", store_.target()));
      return kExitOk;
    }
    if (opened.code() != StatusCode::kNotFound) {
      runner_.PrintError(opened);
      return kExitNoStore;
    }
    if (!quiet_) {
      PrintMessage(
          fmt::format("no store in {} yet: CREATE TABLE makes it (\\? for help)", store_.target()));
    }
    return kExitOk;
  }

  // "sippar", the row of an open transaction, and a sign for what the text typed so far is in the
  // middle of: "->" a statement, "'>" a string, "*>" a comment, "{>" braces, ">" nothing.
  std::string Prompt() {
    std::string_view open_text = ">";
    switch (query::CompletenessOf(typed_)) {
      case query::Completeness::kNeedsMore:
        open_text = "->";
        break;
      case query::Completeness::kInString:
        open_text = "'>";
        break;
      case query::Completeness::kInComment:
        open_text = "*>";
        break;
      case query::Completeness::kInBraces:
        open_text = "{>";
        break;
      default:
        break;
    }
    std::string row = store_.session() == nullptr ? "" : store_.session()->transaction();
    if (!row.empty()) row = fmt::format(" [{}]", engine::PrintEscaped(row));
    return fmt::format("sippar{}{} ", row, open_text);
  }

  // Candidates for the line that is edited. It may continue a statement, so the lines before it are
  // passed too.
  Candidates Complete(std::string_view line, size_t caret) {
    Candidates found = FindCandidates(&store_, typed_ + std::string(line), typed_.size() + caret);
    bool in_line = found.begin >= typed_.size();
    if (!in_line) return {};
    found.begin -= typed_.size();
    return found;
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

  // Adds one line and runs what is complete with it.
  void TakeLine(const std::string& line) {
    asked_ = false;
    if (typed_.find_first_not_of(" \n") == std::string::npos) typed_.clear();
    query::Completeness open = query::CompletenessOf(typed_);
    bool in_statement =
        open == query::Completeness::kNeedsMore || open == query::Completeness::kInBraces;
    std::string command = CommandOfWord(line);
    if (in_statement && command.empty() && line.starts_with('\\')) command = line;
    // Commands work inside an unfinished statement, but not inside a text or a comment, where the
    // line may be content.
    if (!command.empty() && (typed_.empty() || in_statement)) {
      Remember(line);
      (void)meta_.Run(command);
      return;
    }
    if (!command.empty()) {
      PrintMessage(
          "this line is part of the text or comment that is open: end that with its quote or */, "
          "or drop it with Ctrl-C");
    }
    typed_ += line + "\n";
    query::Completeness state = query::CompletenessOf(typed_);
    if (state != query::Completeness::kComplete && state != query::Completeness::kEmpty) return;
    std::string text = std::exchange(typed_, "");
    Remember(text);
    RunText(text);
  }

  void RunText(const std::string& text) {
    query::SplitResult split = query::SplitStatements(text);
    ScriptPlace place{"", text, 1};
    for (const query::StatementText& statement : split.statements) {
      int code = statement.meta ? meta_.Run(statement.text) : runner_.Run(statement, place);
      if (code != kExitOk || meta_.quit()) return;
    }
  }

  std::string typed_;  // the statement typed so far
  Store store_;
  StatementRunner runner_;
  MetaCommands meta_;
  History history_;
  bool quiet_;
  bool keep_history_;
  bool asked_ = false;
};

// Used if stdin or stdout is no terminal: the same statements without a prompt.
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
  std::setlocale(LC_CTYPE, "");
  InstallSignalHandlers();
  bool interactive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  if (!interactive) return RunBatch(&options);
  options.output.rows_max = kRowsShown;
  options.output.dates = true;
  options.output.options.color = std::getenv("NO_COLOR") == nullptr;
  return Shell(&options).Run();
}

}  // namespace sippar::cli
