// Holds the shell commands on the typed statement, the last statement and the history, \copy, \try,
// and the commands that start other programs.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/child_process.h"
#include "cli/copy_statement.h"
#include "cli/exit_code.h"
#include "cli/history.h"
#include "cli/meta_commands.h"
#include "cli/signals.h"
#include "query/parse/split.h"

namespace sippar::cli {
namespace {

constexpr double kWatchSeconds = 2;
constexpr double kWatchSecondsMax = 86'400;

// Reads a number at the start of *text and removes it with the blanks after it. Returns false if
// there is no number.
template <typename Number>
bool TakeNumber(std::string_view* text, Number* number) {
  auto read = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (read.ec != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(read.ptr - text->data()));
  if (!text->empty() && text->front() == 's') text->remove_prefix(1);  // the unit in "2s"
  text->remove_prefix(std::min(text->find_first_not_of(' '), text->size()));
  return true;
}

// Waits until the time is over or Ctrl-C is pressed. Returns true if InterruptCount() is no longer
// `before`.
bool InterruptedWithin(double seconds, uint64_t before) {
  // The byte of an earlier Ctrl-C in the pipe would end the wait at once. The handler counts a
  // later Ctrl-C before it writes the byte, so this function misses none.
  DrainInterruptPipe();
  pollfd wait = {InterruptPipe(), POLLIN, 0};
  if (InterruptCount() == before) poll(&wait, 1, static_cast<int>(seconds * 1000));
  return InterruptCount() != before;
}

std::string EditorCommand() {
  for (const char* name : {"SIPPAR_EDITOR", "VISUAL", "EDITOR"}) {
    const char* chosen = std::getenv(name);
    if (chosen != nullptr && *chosen != '\0') return chosen;
  }
  return "editor";  // Debian's name for the editor that is installed
}

// Escapes the control characters of each line, so that old input cannot control the terminal.
std::string EscapedLines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    out += engine::PrintEscaped(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// The format that the suffix of the file name means; "" if it means none.
std::string FormatOfFile(const std::string& path) {
  std::string suffix = path.substr(std::min(path.rfind('.') + 1, path.size()));
  if (suffix == "md") return "markdown";
  const std::vector<std::string>& names = query::FormatNames();
  return std::find(names.begin(), names.end(), suffix) == names.end() ? "" : suffix;
}

std::string TrimmedRight(const std::string& text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::string MetaCommands::TakeStatement() {
  const bool is_blank =
      typed_ == nullptr || typed_->find_first_not_of(" \t\r\n") == std::string::npos;
  return is_blank ? runner_->last() : std::exchange(*typed_, "");
}

int MetaCommands::RunTaken(const std::string& text, OutputSettings changed) {
  if (text.empty()) return Fail("no statement was typed yet");
  OutputSettings* settings = runner_->output_settings();
  const OutputSettings before = std::exchange(*settings, std::move(changed));
  query::SplitResult split = query::SplitStatements(text);
  std::vector<query::StatementText> statements = std::move(split.statements);
  if (split.state != query::Completeness::kEmpty) statements.push_back(split.rest);
  int code = kExitOk;
  for (const query::StatementText& statement : statements) {
    code = statement.meta ? Run(statement.text) : runner_->Run(statement, ScriptPlace{"", text, 1});
    if (code != kExitOk) break;
  }
  *settings = before;
  return code;
}

int MetaCommands::Go(const std::string& path) {
  OutputSettings settings = *runner_->output_settings();
  std::string text = TakeStatement();
  if (path.empty()) return RunTaken(text, settings);
  Output* output = runner_->output();
  if (output->is_redirected()) {
    return Fail(fmt::format(
        "\\g {}: nothing was run, because \\o sends rows to another file; a bare \\o ends that",
        path));
  }
  if (settings.format.empty()) settings.format = FormatOfFile(path);
  if (Status opened = output->Redirect(path, Appearance::kWhole); !opened.ok()) {
    return Fail(MessageOf(opened));
  }
  int code = RunTaken(text, settings);
  if (code != kExitOk) {
    output->Drop();
    return code;
  }
  Status closed = output->Close();
  return closed.ok() ? kExitOk : Fail(MessageOf(closed));
}

int MetaCommands::GoExpanded(const std::string& path) {
  OutputSettings* settings = runner_->output_settings();
  const Expanded before = std::exchange(settings->expanded, Expanded::kOn);
  int code = Go(path);
  settings->expanded = before;
  return code;
}

int MetaCommands::GoAllRows(const std::string&) {
  OutputSettings settings = *runner_->output_settings();
  settings.rows_max = 0;
  return RunTaken(TakeStatement(), settings);
}

int MetaCommands::Watch(const std::string& times) {
  double seconds = kWatchSeconds;
  uint64_t count = 0;  // number of runs; 0: until Ctrl-C
  std::string_view rest = times;
  const bool is_valid = (rest.empty() || TakeNumber(&rest, &seconds)) &&
                        (rest.empty() || TakeNumber(&rest, &count)) && rest.empty() &&
                        seconds > 0 && seconds <= kWatchSecondsMax;
  if (!is_valid) return Fail("\\watch takes seconds, then how many times");
  const std::string text = TakeStatement();
  OutputSettings settings = *runner_->output_settings();
  settings.pager.clear();  // a pager would wait for the user at each result
  const uint64_t interrupts = InterruptCount();
  for (uint64_t i = 0; count == 0 || i < count; ++i) {
    if (i > 0 && InterruptedWithin(seconds, interrupts)) {
      fmt::print(stderr, "\n");  // end of the line in which the terminal has shown ^C
      break;
    }
    const int64_t now = engine::Clock::System()->NowMicros();
    fmt::print(stderr, "{}, every {:g} s\n", engine::PrintTimestamp(now / 1'000'000 * 1'000'000),
               seconds);
    if (int code = RunTaken(text, settings); code != kExitOk) return code;
  }
  return kExitOk;
}

int MetaCommands::Edit(const std::string& path) {
  if (typed_ == nullptr) return Fail("\\e works at the prompt only");
  const bool was_open = !typed_->empty();
  const std::string before = TakeStatement();
  std::string file = path;
  if (path.empty()) {
    const char* folder = std::getenv("TMPDIR");
    file = fmt::format("{}/sippar.XXXXXX.sql", folder == nullptr ? "/tmp" : folder);
    int descriptor = mkstemps(file.data(), 4);
    if (descriptor < 0) return Fail(MessageOf(FileError(file, "make")));
    close(descriptor);
    const bool ends = before.empty() || TrimmedRight(before).ends_with(';');
    std::ofstream(file) << TrimmedRight(before) << (ends ? "" : ";")
                        << (before.empty() ? "" : "\n");
  }
  const std::string offered = ReadWhole(file);
  auto child = StartChild({"sh", "-c", EditorCommand() + " " + WordForSh(file)}, {});
  constexpr int kNotFound = 127;  // exit code of sh if there is no such command
  const int code = child.ok() ? WaitForChild(child->pid) : kNotFound;
  const std::string text = ReadWhole(file);
  if (path.empty()) unlink(file.c_str());
  DrainInterruptPipe();
  if (was_open) *typed_ = before;
  if (code != 0) {
    return Fail(fmt::format("{}: it ended with {}{}", EditorCommand(), code,
                            code == kNotFound ? "; name an editor in $VISUAL or $EDITOR" : ""));
  }
  // If the user leaves the editor without a change, nothing runs: an INSERT must not run twice.
  if (path.empty() && text == offered) return kExitOk;
  // The shell runs the text if it is complete; otherwise the text stays open at the prompt.
  *typed_ = TrimmedRight(text);
  if (!typed_->empty()) *typed_ += '\n';
  runner_->output()->Write(EscapedLines(*typed_));
  return kExitOk;
}

int MetaCommands::PrintTyped(const std::string&) {
  const bool is_open = typed_ != nullptr && !typed_->empty();
  Show(EscapedLines(is_open ? *typed_ : runner_->last()));
  return kExitOk;
}

int MetaCommands::DropTyped(const std::string&) {
  if (typed_ != nullptr) typed_->clear();
  return kExitOk;
}

int MetaCommands::Copy(const std::string& rest) {
  auto statement = CopyStatement(rest);
  return statement.ok() ? Statement(*statement) : Fail(MessageOf(statement.status()));
}

int MetaCommands::RunProgram(const std::string& command) {
  const char* shell = std::getenv("SHELL");
  std::string line = command;
  if (line.empty()) line = shell == nullptr ? "sh" : shell;
  (void)runner_->output()->Flush();
  auto child = StartChild({"sh", "-c", line}, {});
  if (!child.ok()) return Fail(MessageOf(child.status()));
  const int code = WaitForChild(child->pid);
  // A Ctrl-C while the program ran was meant for the program, not for the shell.
  DrainInterruptPipe();
  if (code == 0 || runner_->settings()->interactive) return kExitOk;
  return Fail(fmt::format("\\! {}: it ended with exit code {}", line, code));
}

int MetaCommands::ShowHistory(const std::string& count) {
  size_t wanted = count.empty() ? 20 : static_cast<size_t>(std::max(std::atoi(count.c_str()), 1));
  std::vector<std::string> entries = History::ReadEntries(history_file_);
  size_t first = entries.size() > wanted ? entries.size() - wanted : 0;
  std::string text;
  for (size_t i = first; i < entries.size(); ++i) text += EscapedLines(entries[i]);
  Show(text);
  return kExitOk;
}

int MetaCommands::SaveHistory(const std::string& path) {
  if (path.empty()) return ShowHistory("1000000");
  auto file = OpenOutputFile(path, Appearance::kWhole);
  if (!file.ok()) return Fail(MessageOf(file.status()));
  for (const std::string& entry : History::ReadEntries(history_file_)) {
    if (Status written = (*file)->Write(entry); !written.ok()) return Fail(MessageOf(written));
  }
  Status closed = (*file)->Close();
  return closed.ok() ? kExitOk : Fail(MessageOf(closed));
}

int MetaCommands::Try(const std::string& number) {
  if (tries_.empty()) return Fail("\\try: there is nothing to try; `sippar demo` has statements");
  size_t wanted = next_try_ + 1;
  std::string_view rest = number;
  const bool is_valid = rest.empty() || (TakeNumber(&rest, &wanted) && rest.empty());
  if (next_try_ == tries_.size() && number.empty()) wanted = 1;
  if (!is_valid || wanted < 1 || wanted > tries_.size()) {
    return Fail(fmt::format("\\try takes a number from 1 to {}", tries_.size()));
  }
  next_try_ = wanted;
  const std::string& text = tries_[wanted - 1];
  runner_->output()->Write(fmt::format("{}/{}  {}\n", wanted, tries_.size(), text));
  return RunTaken(text, *runner_->output_settings());
}

}  // namespace sippar::cli
