// The shell's own commands: lines that begin with a backslash, such as \d, \format or \i. Scripts
// understand them too. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/statement_runner.h"
#include "query/analyze/callable_names.h"

namespace sippar::cli {

class MetaCommands;

struct MetaCommand {
  // What completion offers as the argument.
  enum Completes : uint8_t {
    kNothing,
    kFiles,
    kTables,
    kFormats,
    kHelpTopics,
    kOnOff,
    kExpanded,    // auto, on, off
    kParameters,  // names of @parameters
    kRows,        // all
    kCopy         // a table, FROM or TO, a file
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
  // The file from which \history shows statements, newest last. Set by the shell.
  void set_history_file(std::string path) { history_file_ = std::move(path); }
  // The statement that is being typed at the prompt. \g and its like work on it; without one, they
  // work on the last statement that ran. `typed` outlives this.
  void set_typed(std::string* typed) { typed_ = typed; }
  // Settings that change say nothing while this is set, as in the start file.
  void set_quiet(bool quiet) { quiet_ = quiet; }
  // The statements that \try runs one after another (cli/demo.cc).
  void set_tries(std::vector<std::string> tries) { tries_ = std::move(tries); }

 private:
  // All commands, in the order in which \? shows them.
  static const std::vector<MetaCommand>& List();
  int Statement(const std::string& text) { return runner_->RunForCommand(text); }
  int Fail(std::string_view message);
  // Shows text of this program, in the pager if it is larger than the screen.
  void Show(const std::string& text);
  int ShowCommands(const std::string&);
  int ShowHelp(const std::string& topic);
  int Include(const std::string& path);
  int Echo(const std::string& text);
  int ClearScreen(const std::string&);
  int Quit(const std::string&);

  // What a table has (meta_tables.cc).
  int ShowTables(const std::string& pattern);
  int Describe(const std::string& table);
  int DescribeMore(const std::string& table);
  int ShowColumns(const std::string& table, uint64_t cells_max, size_t columns_max);

  // Settings (meta_settings.cc).
  int Format(const std::string& name);
  int SetExpanded(const std::string& word);
  int SetRows(const std::string& word);
  int SetPager(const std::string& command);
  int SwitchDates(const std::string& word);
  int SwitchTiming(const std::string& word);
  int SetNull(const std::string& text);
  int SetParameter(const std::string& rest);
  int RemoveParameter(const std::string& name);
  int Redirect(const std::string& path);
  int Switch(const std::string& word, bool* flag, std::string_view what);
  // Says what a setting now is.
  void Tell(const std::string& text) const;

  // The typed statement, the last one, the history (meta_statement.cc).
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
  // The typed statement, which is then no longer open, or else the last one.
  std::string TakeStatement();
  // Runs the statements in `text`. `changed`: their output settings.
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

// Help on a statement, as \h SELECT shows it; "" for an unknown word.
std::string StatementHelp(std::string_view word);
std::string StatementHelpList();
// One line on how a function is called: "SUBSTR(text, from [, length]), gives: as argument 1".
std::string CallForm(const query::CallInfo& call);
std::vector<std::string> StatementHelpNames();

}  // namespace sippar::cli
