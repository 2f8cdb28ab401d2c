// The shell's own commands: lines that begin with a backslash, such as \d, \format or \i. Scripts
// may use them, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/statement_runner.h"
#include "query/analyze/callable_names.h"

namespace sippar::cli {

class MetaCommands;

struct MetaCommand {
  // The kind of candidates that completion offers for the argument.
  enum Completes : uint8_t {
    kNothing,
    kFiles,
    kTables,
    kFormats,
    kHelpTopics,
    kOnOff,
    kExpanded,    // the words auto, on and off
    kParameters,  // names of @parameters
    kRows,        // the word all
    kCopy         // a table, then FROM or TO, then a file
  };
  std::string_view name;  // the name with its backslash
  const char* arguments;  // arguments as \? shows them
  const char* summary;
  int (MetaCommands::*run)(const std::string& argument);
  Completes completes;
};

class MetaCommands {
 public:
  explicit MetaCommands(StatementRunner* runner) : runner_(runner) {}

  static std::vector<std::string> Names();
  // The command of this name, with its backslash; nullptr if there is none.
  static const MetaCommand* Find(std::string_view name);
  // Runs one command line. Returns kExitOk, or the exit code of the failure.
  int Run(std::string_view line);
  bool quit() const { return quit_; }
  // Sets the file from which \history shows statements, newest last. Called by the shell.
  void set_history_file(std::string path) { history_file_ = std::move(path); }
  // Sets the statement that is being typed at the prompt. \g and similar commands apply to it; if
  // it is empty, they apply to the last statement that ran. `typed` must outlive this object.
  void set_typed(std::string* typed) { typed_ = typed; }
  // If set, commands that change a setting print nothing, as in the start file.
  void set_quiet(bool quiet) { quiet_ = quiet; }
  // Sets the statements that \try runs one after another (cli/demo.cc).
  void set_tries(std::vector<std::string> tries) { tries_ = std::move(tries); }

 private:
  // All commands, in the order in which \? shows them.
  static const std::vector<MetaCommand>& List();
  int Statement(const std::string& text) { return runner_->RunForCommand(text); }
  int Fail(std::string_view message);
  // Shows a text that is no result of a statement: help, the typed or last statement, the history.
  // Uses the pager, if there is one, when the text is larger than the screen.
  void Show(const std::string& text);
  int ShowCommands(const std::string&);
  int ShowHelp(const std::string& topic);
  int Include(const std::string& path);
  int Echo(const std::string& text);
  int ClearScreen(const std::string&);
  int Quit(const std::string&);

  // Commands that show tables and their contents (meta_tables.cc).
  int ShowTables(const std::string& pattern);
  int Describe(const std::string& table);
  int DescribeMore(const std::string& table);
  int ShowColumns(const std::string& table, uint64_t cells_max, size_t columns_max);

  // Commands that change settings (meta_settings.cc).
  int Format(const std::string& name);
  int SetExpanded(const std::string& word);
  int SetRows(const std::string& word);
  int SetPager(const std::string& command);
  int SwitchDates(const std::string& word);
  int SwitchColors(const std::string& word);
  int SwitchTiming(const std::string& word);
  int SetNull(const std::string& text);
  int SetParameter(const std::string& rest);
  int RemoveParameter(const std::string& name);
  int Redirect(const std::string& path);
  int Switch(const std::string& word, bool* flag, std::string_view what);
  // Prints the new value of a setting, unless set_quiet has made the commands quiet.
  void Tell(const std::string& text) const;

  // Commands on the typed statement, the last statement and the history (meta_statement.cc).
  int Go(const std::string& path);
  int GoExpanded(const std::string& path);
  int GoAllRows(const std::string&);
  int Watch(const std::string& times);
  int Edit(const std::string& path);
  int PrintTyped(const std::string&);
  int DropTyped(const std::string&);
  int Copy(const std::string& rest);
  int RunProgram(const std::string& command);
  int ShowHistory(const std::string& count);
  int SaveHistory(const std::string& path);
  int Try(const std::string& number);
  // Returns the typed statement and clears it; returns the last statement if none is typed.
  std::string TakeStatement();
  // Runs the statements in `text` with the output settings `changed`.
  int RunTaken(const std::string& text, OutputSettings changed);

  StatementRunner* runner_;
  std::string history_file_;
  std::string* typed_ = nullptr;  // null in scripts
  std::vector<std::string> tries_;
  size_t next_try_ = 0;
  bool quit_ = false;
  bool quiet_ = false;
  int include_depth_ = 0;
};

// Help on a statement, as \h SELECT shows it; "" if no statement or function has this name.
std::string StatementHelp(std::string_view word);
std::string StatementHelpList();
// One line about the signature of a function: "SUBSTR(text, from [, length]), gives: as argument
// 1".
std::string CallForm(const query::CallInfo& call);
std::vector<std::string> StatementHelpNames();

}  // namespace sippar::cli
