// SPDX-License-Identifier: Apache-2.0
#include "cli/interactive_shell.h"

#include <fmt/format.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "cli/completion.h"
#include "cli/exit_code.h"
#include "cli/history.h"
#include "cli/line_colors.h"
#include "cli/line_editor.h"
#include "cli/message.h"
#include "cli/meta_commands.h"
#include "cli/script.h"
#include "cli/signals.h"
#include "cli/typed_text.h"
#include "query/parse/split.h"

namespace sippar::cli {
namespace {

constexpr uint64_t kRowsShown = 200;  // default of \rows: rows of a result that the shell shows

constexpr const char* kFirstStatements =
    "to begin with:\n"
    "  CREATE TABLE people (FAMILY f VERSIONS 3, FAMILY visits COUNTER);\n"
    "  INSERT INTO people ROW 'ada' SET f:name = 'Ada', f:city = 'London';\n"
    "  SELECT row, f:name FROM people WHERE f:city = 'London';\n"
    "\\? lists the shell's commands, \\h the statements; Tab completes, Ctrl-D leaves";

// $SIPPAR_SHELLRC, or sippar/shellrc in the user's configuration folder; "" if the variable is
// "off" or the user has no such folder.
std::string StartFile() {
  if (const char* chosen = std::getenv("SIPPAR_SHELLRC")) {
    return std::string(chosen) == "off" ? "" : chosen;
  }
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') return std::string(config) + "/sippar/shellrc";
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.config/sippar/shellrc";
}

class Shell {
 public:
  explicit Shell(ShellOptions* options)
      : options_(options),
        store_(options->target, options->patience),
        runner_(&store_, &options->output, RunSettings{.interactive = true}),
        meta_(&runner_) {
    meta_.set_typed(&typed_);
    meta_.set_tries(options->tries);
  }

  int Run() {
    if (int code = Open(); code != kExitOk) return code;
    if (!options_->no_history) {
      history_.Load();
      meta_.set_history_file(history_.path());
    }
    if (!options_->no_start_file) RunStartFile();
    LineEditor editor([this](std::string_view text, size_t caret) { return Complete(text, caret); },
                      [this](std::string_view line) { return Colors(line); });
    while (!meta_.quit() && EndSignal() == 0) ReadLine(&editor);
    Status closed = store_.Close();
    if (!closed.ok()) PrintMessage("sippar shell", MessageOf(closed));
    return closed.ok() ? kExitOk : kExitFailed;
  }

 private:
  // A missing store is not yet an error: the first CREATE TABLE creates it.
  int Open() {
    Status opened = store_.Open(false);
    if (!opened.ok() && opened.code() != StatusCode::kNotFound) {
      runner_.PrintError(opened);
      return kExitNoStore;
    }
    if (options_->quiet) return kExitOk;
    if (!opened.ok()) {
      PrintMessage(fmt::format("no store in {} yet: CREATE TABLE makes it", store_.target()));
      fmt::print(stderr, "{}\n", kFirstStatements);
    } else {
      PrintMessage(fmt::format("sippar {} (\\? for help)", store_.target()));
      if (store_.session()->TableNames().empty()) fmt::print(stderr, "{}\n", kFirstStatements);
    }
    return kExitOk;
  }

  // Runs the commands and statements of the user's start file. An error does not keep the shell
  // from starting.
  void RunStartFile() {
    std::string path = StartFile();
    if (path.empty() || access(path.c_str(), R_OK) != 0) return;
    meta_.set_quiet(true);
    Script script(
        &runner_, [this](std::string_view line) { return meta_.Run(line); }, true);
    (void)script.RunFile(path);
    meta_.set_quiet(false);
  }

  void ReadLine(LineEditor* editor) {
    std::string line;
    // Discards a Ctrl-C that came while a statement ran; otherwise it would clear the next line.
    if (typed_.empty()) DrainInterruptPipe();
    open_text_ = EndsInLiteral(typed_) ? typed_ : "";
    LineEvent event = editor->Read(Prompt(), &line);
    if (event == LineEvent::kEnd && MayLeave()) (void)meta_.Run("\\q");
    if (event == LineEvent::kText) TakeLine(line);
    if (event == LineEvent::kInterrupt) {
      Remember(typed_ + line);
      typed_.clear();
    }
  }

  // The prompt: "sippar", the row of an open transaction, and the sign of PromptSign.
  std::string Prompt() {
    std::string row = store_.session() == nullptr ? "" : store_.session()->transaction();
    if (!row.empty()) row = fmt::format(" [{}]", engine::PrintEscaped(row));
    return fmt::format("sippar{}{} ", row, PromptSign(typed_));
  }

  // Returns the candidates for the line being edited. The lines before it are passed as well,
  // because it may continue a statement.
  Candidates Complete(std::string_view line, size_t caret) {
    // A shell command inside a statement is completed without the lines before it.
    const bool is_command = line.starts_with('\\') && open_text_.empty();
    if (is_command) return completer_.Find(line, caret);
    Candidates found = completer_.Find(typed_ + std::string(line), typed_.size() + caret);
    bool in_line = found.begin >= typed_.size();
    if (!in_line) return {};
    found.begin -= typed_.size();
    return found;
  }

  std::optional<std::vector<query::TokenSpan>> Colors(std::string_view line) {
    if (!options_->output.options.color) return std::nullopt;
    return SpansOfLine(open_text_, line);
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
    if (!options_->no_history) history_.Add(text);
  }

  // Adds one line and runs the statement or command that it completes.
  void TakeLine(const std::string& line) {
    asked_ = false;
    if (typed_.find_first_not_of(" \n") == std::string::npos) typed_.clear();
    std::string command = CommandOfWord(line);
    if (!command.empty() && EndsInLiteral(typed_)) {
      PrintMessage(
          "this line is part of the text or comment that is open: end that with its quote or */, "
          "or drop it with Ctrl-C");
      command.clear();
    }
    if (!command.empty()) {
      Remember(line);
      (void)meta_.Run(command);
      return;
    }
    const bool was_open = !typed_.empty();
    typed_ += line + "\n";
    CommandAtEnd end = FindCommandAtEnd(typed_);
    if (end.command.empty()) return RunTyped();
    // The history records the statement together with the command that runs it, such as \g.
    Remember(was_open && end.command.starts_with("\\g") ? typed_ : line);
    std::string name(end.command);
    typed_.resize(end.before.size());
    if (typed_.find_first_not_of(" \t\n") == std::string::npos) typed_.clear();
    // A statement that ended with a semicolon on this line runs before the command.
    if (query::CompletenessOf(typed_) == query::Completeness::kComplete) {
      RunText(std::exchange(typed_, ""));
    }
    (void)meta_.Run(name);
    if (!meta_.quit()) RunTyped();
  }

  // Runs the typed text if it is complete.
  void RunTyped() {
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

  ShellOptions* options_;
  std::string typed_;      // the statement typed so far
  std::string open_text_;  // typed_, if it ends in an open text or comment; else ""
  Store store_;
  StatementRunner runner_;
  MetaCommands meta_;
  History history_;
  Completer completer_{&store_};
  bool asked_ = false;
};

// False if the user has set NO_COLOR (https://no-color.org) or the terminal has no colours.
bool WantsColors() {
  const char* refusal = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !is_dumb && (refusal == nullptr || *refusal == '\0');
}

}  // namespace

bool IsInteractive() { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

int RunInteractiveShell(ShellOptions options) {
  std::setlocale(LC_CTYPE, "");
  options.output.rows_max = kRowsShown;
  options.output.dates = true;
  options.output.pager = DefaultPager();
  options.output.options.color = WantsColors();
  return Shell(&options).Run();
}

}  // namespace sippar::cli
