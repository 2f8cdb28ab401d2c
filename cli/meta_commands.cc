// SPDX-License-Identifier: Apache-2.0
#include "cli/meta_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "cli/exit_code.h"
#include "cli/script.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

// Ends a script that includes itself.
constexpr int kIncludeDepthMax = 16;

std::string Trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  size_t end = text.find_last_not_of(" \t\r");
  return std::string(text.substr(begin, end - begin + 1));
}

}  // namespace

const std::vector<MetaCommand>& MetaCommands::List() {
  // One table serves \\?, dispatch, hints and completion, so that a new command is one row.
  static const auto& list = *new std::vector<MetaCommand>{
      {"\\?", "", "this list", &MetaCommands::ShowCommands, MetaCommand::kNothing},
      {"\\h", "[NAME]", "help on a statement, with examples, or on a function",
       &MetaCommands::ShowHelp, MetaCommand::kHelpTopics},
      {"\\d", "[TABLE]", "tables, or the families and options of one", &MetaCommands::Describe,
       MetaCommand::kTables},
      {"\\d+", "TABLE", "also which columns its first cells are in, with counts and an example",
       &MetaCommands::DescribeColumns, MetaCommand::kTables},
      {"\\dt", "[PATTERN]", "tables, as SHOW TABLES LIKE", &MetaCommands::ShowTables,
       MetaCommand::kNothing},
      {"\\format", "[NAME]",
       "how rows look: box line plain markdown csv tsv json jsonl cells insert",
       &MetaCommands::Format, MetaCommand::kFormats},
      {"\\x", "[auto|on|off]", "one field per line", &MetaCommands::SetExpanded,
       MetaCommand::kExpanded},
      {"\\rows", "[N|all]", "rows shown of a long result on the terminal, first and last ones",
       &MetaCommands::SetRows, MetaCommand::kNothing},
      {"\\dates", "[on|off]", "times of cells as dates in box and line, not as microseconds",
       &MetaCommands::SwitchDates, MetaCommand::kOnOff},
      {"\\timing", "[on|off]", "show how long statements take", &MetaCommands::SwitchTiming,
       MetaCommand::kOnOff},
      {"\\null", "[TEXT]", "how NULL looks in box and line", &MetaCommands::SetNull,
       MetaCommand::kNothing},
      {"\\set", "[NAME[:TYPE]=VALUE]", "value of @NAME", &MetaCommands::SetParameter,
       MetaCommand::kNothing},
      {"\\unset", "NAME", "forget @NAME", &MetaCommands::RemoveParameter, MetaCommand::kNothing},
      {"\\o", "[FILE]", "rows into a file as they come; without FILE to the terminal again",
       &MetaCommands::Redirect, MetaCommand::kFiles},
      {"\\i", "FILE", "run a script", &MetaCommands::Include, MetaCommand::kFiles},
      {"\\echo", "TEXT", "print TEXT", &MetaCommands::Echo, MetaCommand::kNothing},
      {"\\history", "[N]", "the last statements typed", &MetaCommands::ShowHistory,
       MetaCommand::kNothing},
      {"\\clear", "", "clear the screen", &MetaCommands::ClearScreen, MetaCommand::kNothing},
      {"\\q", "", "leave (also Ctrl-D)", &MetaCommands::Quit, MetaCommand::kNothing},
  };
  return list;
}

std::vector<std::string> MetaCommands::Names() {
  std::vector<std::string> names;
  for (const MetaCommand& command : List()) names.emplace_back(command.name);
  return names;
}

const MetaCommand* MetaCommands::Find(std::string_view name) {
  const auto at = std::find_if(List().begin(), List().end(),
                               [name](const MetaCommand& command) { return command.name == name; });
  return at == List().end() ? nullptr : &*at;
}

int MetaCommands::Fail(std::string_view message) {
  fmt::print(stderr, "error META: {}\n", engine::PrintEscaped(message));
  return kExitFailed;
}

int MetaCommands::Statement(const std::string& text) {
  query::StatementText statement;
  statement.text = text;
  // Runs as if the user had typed it, so rows and errors look the same.
  return runner_->Run(statement, ScriptPlace{"", text, 1});
}

int MetaCommands::Describe(const std::string& table) {
  if (table.empty()) return Statement("SHOW TABLES");
  // Quoted, as the user wrote a name and not a piece of a statement.
  return Statement("DESCRIBE " + query::QuoteName(table));
}

// Shows which columns the first cells of a table use: families are declared, qualifiers are not.
int MetaCommands::DescribeColumns(const std::string& table) {
  if (table.empty()) return Fail("\\d+ needs a table");
  if (int code = Describe(table); code != kExitOk) return code;
  // Bounds the wait on a large table; enough to see the usual columns.
  constexpr int kCellsLookedAt = 20'000;
  return Statement(fmt::format(
      "SELECT family, qualifier, COUNT(*) AS found, ANY_VALUE(value) AS example FROM "
      "(SELECT family, qualifier, value FROM CELLS({}) LIMIT {}) GROUP BY family, qualifier "
      "ORDER BY found DESC, family, qualifier LIMIT 100",
      query::QuoteName(table), kCellsLookedAt));
}

int MetaCommands::Format(const std::string& name) {
  OutputSettings* settings = runner_->output_settings();
  if (name.empty()) {
    runner_->output()->Write((settings->format.empty() ? "auto" : settings->format) + "\n");
    return kExitOk;
  }
  if (name == "auto") {
    settings->format.clear();
    return kExitOk;
  }
  // Made only to check the name: each result makes a formatter of its own.
  auto formatter = query::NewFormatter(name, settings->options);
  if (!formatter.ok()) return Fail(MessageOf(formatter.status()));
  settings->format = name;
  return kExitOk;
}

int MetaCommands::SetRows(const std::string& word) {
  uint64_t& rows_max = runner_->output_settings()->rows_max;
  if (word == "all") {
    rows_max = 0;
  } else if (!word.empty()) {
    uint64_t rows = 0;
    auto read = std::from_chars(word.data(), word.data() + word.size(), rows);
    bool whole = read.ec == std::errc() && read.ptr == word.data() + word.size();
    if (!whole || rows == 0) return Fail("\\rows takes a number from 1, or all");
    rows_max = rows;
  }
  runner_->output()->Write(rows_max == 0 ? "all rows\n" : fmt::format("{} rows\n", rows_max));
  return kExitOk;
}

int MetaCommands::SetExpanded(const std::string& word) {
  Expanded& expanded = runner_->output_settings()->expanded;
  if (word.empty()) {
    expanded = expanded == Expanded::kOn ? Expanded::kOff : Expanded::kOn;
  } else if (word == "on" || word == "off" || word == "auto") {
    expanded = word == "on" ? Expanded::kOn : word == "off" ? Expanded::kOff : Expanded::kAuto;
  } else {
    return Fail("\\x takes auto, on or off");
  }
  return kExitOk;
}

int MetaCommands::Switch(const std::string& word, bool* flag, std::string_view what) {
  if (!word.empty() && word != "on" && word != "off") {
    return Fail(fmt::format("\\{} takes on or off", what));
  }
  *flag = word.empty() ? !*flag : word == "on";
  fmt::print(stderr, "{} is {}\n", what, *flag ? "on" : "off");
  return kExitOk;
}

int MetaCommands::SetParameter(const std::string& rest) {
  if (rest.empty()) {
    if (runner_->store()->session() == nullptr) return kExitOk;
    for (const auto& [name, value] : runner_->store()->session()->parameters()) {
      runner_->output()->Write(
          fmt::format("@{} = {} ({})\n", name, value.Print(), engine::TypeName(value.type())));
    }
    return kExitOk;
  }
  Status status = runner_->SetParameter(rest);
  return status.ok() ? kExitOk : Fail(MessageOf(status));
}

int MetaCommands::Include(const std::string& path) {
  if (path.empty()) return Fail("\\i needs a file");
  if (include_depth_ >= kIncludeDepthMax) {
    return Fail(fmt::format("\\i {}: scripts are nested more than {} deep; does one run itself?",
                            path, kIncludeDepthMax));
  }
  ++include_depth_;
  // Without keep_going: a script that goes wrong stops, whatever the shell around it does.
  Script script(
      runner_, [this](std::string_view line) { return Run(line); }, false);
  int code = script.RunFile(path);
  --include_depth_;
  return code;
}

int MetaCommands::ShowHistory(const std::string& count) {
  size_t wanted = count.empty() ? 20 : static_cast<size_t>(std::max(std::atoi(count.c_str()), 1));
  std::ifstream file(history_file_);
  std::vector<std::string> entries;
  for (std::string line; std::getline(file, line);) {
    // In the history file a line "#seconds" begins an entry (history.h).
    bool time = line.size() > 1 && line[0] == '#' &&
                line.find_first_not_of("0123456789", 1) == std::string::npos;
    if (time) {
      entries.emplace_back();
    } else if (!entries.empty()) {
      entries.back() += line + "\n";
    }
  }
  size_t first = entries.size() > wanted ? entries.size() - wanted : 0;
  for (size_t i = first; i < entries.size(); ++i) {
    std::string_view entry = entries[i];
    // Newlines stay; other control characters are escaped, so that old input cannot control the
    // terminal.
    while (!entry.empty()) {
      size_t end = std::min(entry.find('\n'), entry.size());
      runner_->output()->Write(engine::PrintEscaped(entry.substr(0, end)) + "\n");
      entry.remove_prefix(std::min(end + 1, entry.size()));
    }
  }
  return kExitOk;
}

int MetaCommands::ShowCommands(const std::string&) {
  for (const MetaCommand& command : List()) {
    runner_->output()->Write(
        fmt::format("  {:<9} {:<22} {}\n", command.name, command.arguments, command.summary));
  }
  return kExitOk;
}

int MetaCommands::ShowHelp(const std::string& topic) {
  std::string help = topic.empty() ? StatementHelpList() : StatementHelp(topic);
  if (help.empty()) {
    return Fail(fmt::format("no help on {}; \\h lists the statements, SHOW FUNCTIONS the functions",
                            topic));
  }
  runner_->output()->Write(help);
  return kExitOk;
}

int MetaCommands::ShowTables(const std::string& pattern) {
  return Statement(pattern.empty() ? "SHOW TABLES"
                                   : "SHOW TABLES LIKE " + query::QuoteText(pattern));
}

int MetaCommands::SwitchDates(const std::string& word) {
  return Switch(word, &runner_->output_settings()->dates, "dates");
}

int MetaCommands::SwitchTiming(const std::string& word) {
  return Switch(word, &runner_->output_settings()->timing, "timing");
}

int MetaCommands::SetNull(const std::string& text) {
  runner_->output_settings()->options.null_text = text;
  return kExitOk;
}

int MetaCommands::RemoveParameter(const std::string& name) {
  runner_->RemoveParameter(name);
  return kExitOk;
}

int MetaCommands::Redirect(const std::string& path) {
  Status status = runner_->output()->Redirect(path, Appearance::kAtOnce);
  return status.ok() ? kExitOk : Fail(MessageOf(status));
}

int MetaCommands::Echo(const std::string& text) {
  runner_->output()->Write(text + "\n");
  return kExitOk;
}

int MetaCommands::ClearScreen(const std::string&) {
  if (runner_->output()->is_terminal()) runner_->output()->Write("\x1b[H\x1b[2J");
  return kExitOk;
}

int MetaCommands::Quit(const std::string&) {
  quit_ = true;
  return kExitOk;
}

int MetaCommands::Run(std::string_view line) {
  size_t space = std::min(line.find_first_of(" \t"), line.size());
  std::string name(line.substr(0, space));
  std::string argument = Trim(line.substr(space));
  // Users end commands with ';' as they end statements.
  while (!argument.empty() && argument.back() == ';' && name != "\\echo") argument.pop_back();
  while (name.size() > 2 && name.back() == ';') name.pop_back();
  if (const MetaCommand* command = Find(name)) return (this->*command->run)(argument);
  std::string near = query::NearestWord(name, Names());
  return Fail(fmt::format("unknown command {}{}; \\? lists them", name,
                          near.empty() ? "" : fmt::format(", did you mean {}?", near)));
}

}  // namespace sippar::cli
