// The shell's own commands: lines that begin with a backslash, such as \d, \format or \i. Scripts
// understand them too. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/statement_runner.h"

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
    kExpanded  // auto, on, off
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

 private:
  // All commands, in the order in which \? shows them.
  static const std::vector<MetaCommand>& List();
  int Statement(const std::string& text);
  int ShowCommands(const std::string&);
  int ShowHelp(const std::string& topic);
  int ShowTables(const std::string& pattern);
  int Describe(const std::string& table);
  int DescribeColumns(const std::string& table);
  int Format(const std::string& name);
  int SetExpanded(const std::string& word);
  int SetRows(const std::string& word);
  int SwitchDates(const std::string& word);
  int SwitchTiming(const std::string& word);
  int SetNull(const std::string& text);
  int SetParameter(const std::string& rest);
  int RemoveParameter(const std::string& name);
  int Redirect(const std::string& path);
  int Include(const std::string& path);
  int Echo(const std::string& text);
  int ShowHistory(const std::string& count);
  int ClearScreen(const std::string&);
  int Quit(const std::string&);
  int Switch(const std::string& word, bool* flag, std::string_view what);
  int Fail(std::string_view message);

  StatementRunner* runner_;
  std::string history_file_;
  bool quit_ = false;
  int include_depth_ = 0;
};

// Help on a statement, as \h SELECT shows it; "" for an unknown word.
std::string StatementHelp(std::string_view word);
std::string StatementHelpList();
std::vector<std::string> StatementHelpNames();

}  // namespace sippar::cli
