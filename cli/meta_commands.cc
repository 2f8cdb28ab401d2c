// SPDX-License-Identifier: Apache-2.0
#include "cli/meta_commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/exit_code.h"
#include "cli/script.h"
#include "query/session/text_width.h"

namespace sippar::cli {
namespace {

// Limit of nested scripts; ends a script that includes itself.
constexpr int kIncludeDepthMax = 16;

std::string Trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  size_t end = text.find_last_not_of(" \t\r");
  return std::string(text.substr(begin, end - begin + 1));
}

}  // namespace

const std::vector<MetaCommand>& MetaCommands::List() {
  // One table serves \?, dispatch, hints and completion, so a new command needs only one row.
  static const auto& list = *new std::vector<MetaCommand>{
      {"\\?", "", "this list", &MetaCommands::ShowCommands, MetaCommand::kNothing},
      {"\\h", "[NAME]", "help on a statement, with examples, or on a function",
       &MetaCommands::ShowHelp, MetaCommand::kHelpTopics},
      {"\\d", "[TABLE]", "tables, or the families of one and columns found in a few of its rows",
       &MetaCommands::Describe, MetaCommand::kTables},
      {"\\d+", "TABLE", "columns found in many rows, its tablets, its CREATE TABLE",
       &MetaCommands::DescribeMore, MetaCommand::kTables},
      {"\\dt", "[PATTERN]", "tables, as SHOW TABLES LIKE", &MetaCommands::ShowTables,
       MetaCommand::kTables},
      {"\\g", "[FILE]", "run the statement typed, or the last one; rows into FILE",
       &MetaCommands::Go, MetaCommand::kFiles},
      {"\\gx", "[FILE]", "the same with one field per line", &MetaCommands::GoExpanded,
       MetaCommand::kFiles},
      {"\\all", "", "the same with all rows of a long result", &MetaCommands::GoAllRows,
       MetaCommand::kNothing},
      {"\\watch", "[SECONDS] [TIMES]", "the same again every 2 s or so, until Ctrl-C",
       &MetaCommands::Watch, MetaCommand::kNothing},
      {"\\e", "[FILE]", "the same in your editor ($VISUAL, $EDITOR); then run it",
       &MetaCommands::Edit, MetaCommand::kFiles},
      {"\\p", "", "print the statement typed, or the last one", &MetaCommands::PrintTyped,
       MetaCommand::kNothing},
      {"\\r", "", "drop the statement typed so far (also \\c, Ctrl-C)", &MetaCommands::DropTyped,
       MetaCommand::kNothing},
      {"\\format", "[NAME]", "how rows look: box line plain csv json jsonl ... (Tab lists them)",
       &MetaCommands::Format, MetaCommand::kFormats},
      {"\\x", "[auto|on|off]", "one field per line", &MetaCommands::SetExpanded,
       MetaCommand::kExpanded},
      {"\\rows", "[N|all]", "rows shown of a long result on the terminal, first and last ones",
       &MetaCommands::SetRows, MetaCommand::kRows},
      {"\\pager", "[on|off|PROGRAM]", "what shows a result larger than the screen",
       &MetaCommands::SetPager, MetaCommand::kOnOff},
      {"\\dates", "[on|off]", "times of cells as dates in box and line, not as microseconds",
       &MetaCommands::SwitchDates, MetaCommand::kOnOff},
      {"\\timing", "[on|off]", "show how long statements take", &MetaCommands::SwitchTiming,
       MetaCommand::kOnOff},
      {"\\colors", "[on|off]", "keywords, texts and comments in colours while you type; NULL dim",
       &MetaCommands::SwitchColors, MetaCommand::kOnOff},
      {"\\null", "[TEXT]", "how NULL looks in box and line", &MetaCommands::SetNull,
       MetaCommand::kNothing},
      {"\\set", "[NAME[:TYPE]=VALUE]", "value of @NAME", &MetaCommands::SetParameter,
       MetaCommand::kParameters},
      {"\\unset", "NAME", "forget @NAME", &MetaCommands::RemoveParameter, MetaCommand::kParameters},
      {"\\o", "[FILE]", "rows into a file as they come; without FILE to the terminal again",
       &MetaCommands::Redirect, MetaCommand::kFiles},
      {"\\copy", "… TO|FROM FILE", "a table or (SELECT …) to a file, or a file into a table",
       &MetaCommands::Copy, MetaCommand::kCopy},
      {"\\i", "FILE", "run a script", &MetaCommands::Include, MetaCommand::kFiles},
      {"\\echo", "TEXT", "print TEXT", &MetaCommands::Echo, MetaCommand::kNothing},
      {"\\!", "[COMMAND]", "run a command of the operating system, or its shell",
       &MetaCommands::RunProgram, MetaCommand::kFiles},
      {"\\history", "[N]", "the last statements typed", &MetaCommands::ShowHistory,
       MetaCommand::kNothing},
      {"\\s", "[FILE]", "all statements typed, into FILE", &MetaCommands::SaveHistory,
       MetaCommand::kFiles},
      {"\\try", "[N]", "the next of the statements that `sippar demo` offers", &MetaCommands::Try,
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
  if (name == "\\c") name = "\\r";  // name of this command in other shells
  const auto at = std::find_if(List().begin(), List().end(),
                               [name](const MetaCommand& command) { return command.name == name; });
  return at == List().end() ? nullptr : &*at;
}

int MetaCommands::Fail(std::string_view message) {
  fmt::print(stderr, "error META: {}\n", engine::PrintEscaped(message));
  return kExitFailed;
}

int MetaCommands::Include(const std::string& path) {
  if (path.empty()) return Fail("\\i needs a file");
  if (include_depth_ >= kIncludeDepthMax) {
    return Fail(fmt::format("\\i {}: scripts are nested more than {} deep; does one run itself?",
                            path, kIncludeDepthMax));
  }
  ++include_depth_;
  // keep_going is off: the included script stops at its first error, even if the shell does not.
  Script script(
      runner_, [this](std::string_view line) { return Run(line); }, false);
  int code = script.RunFile(path);
  --include_depth_;
  return code;
}

void MetaCommands::Show(const std::string& text) {
  runner_->output()->Show(text, runner_->output_settings()->pager);
}

int MetaCommands::ShowCommands(const std::string&) {
  const size_t screen = runner_->output()->screen().columns;
  std::string text;
  for (const MetaCommand& command : List()) {
    if (command.run == &MetaCommands::Try && tries_.empty()) continue;
    std::string line =
        fmt::format("  {:<9} {:<20} {}\n", command.name, command.arguments, command.summary);
    // On a narrow screen, a line that would wrap is broken before its summary.
    if (screen > 0 && query::TextWidth(line) > screen + 1) {
      line = fmt::format("  {} {}\n      {}\n", command.name, command.arguments, command.summary);
    }
    text += line;
  }
  Show(text);
  return kExitOk;
}

int MetaCommands::ShowHelp(const std::string& topic) {
  std::string help = topic.empty() ? StatementHelpList() : StatementHelp(topic);
  if (help.empty()) {
    return Fail(fmt::format("no help on {}; \\h lists the statements, SHOW FUNCTIONS the functions",
                            topic));
  }
  Show(help);
  return kExitOk;
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
  // Removes a final ';', which users type after commands as they do after statements.
  const bool is_free = name == "\\echo" || name == "\\!";
  while (!is_free && !argument.empty() && argument.back() == ';') argument.pop_back();
  while (name.size() > 2 && name.back() == ';') name.pop_back();
  if (const MetaCommand* command = Find(name)) return (this->*command->run)(argument);
  std::string near = query::NearestWord(name, Names());
  return Fail(fmt::format("unknown command {}{}; \\? lists them", name,
                          near.empty() ? "" : fmt::format(", did you mean {}?", near)));
}

}  // namespace sippar::cli
