// Commands of the shell that change how results look and where they go, and the values of
// parameters.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/meta_commands.h"

namespace sippar::cli {

void MetaCommands::Tell(const std::string& text) const {
  if (!quiet_) fmt::print(stderr, "{}\n", text);
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
  // This formatter only checks the name: each result creates its own.
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
  Tell(rows_max == 0 ? "all rows" : fmt::format("{} rows", rows_max));
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

int MetaCommands::SetPager(const std::string& command) {
  std::string& pager = runner_->output_settings()->pager;
  if (command == "on") {
    pager = DefaultPager();
    if (pager.empty()) return Fail("\\pager: less not found; name a program");
  } else if (command == "off") {
    pager.clear();
  } else if (!command.empty()) {
    pager = command;
  }
  Tell(pager.empty() ? "pager is off" : "pager is " + pager);
  return kExitOk;
}

int MetaCommands::Switch(const std::string& word, bool* flag, std::string_view what) {
  if (!word.empty() && word != "on" && word != "off") {
    return Fail(fmt::format("\\{} takes on or off", what));
  }
  *flag = word.empty() ? !*flag : word == "on";
  Tell(fmt::format("{} is {}", what, *flag ? "on" : "off"));
  return kExitOk;
}

int MetaCommands::SwitchDates(const std::string& word) {
  return Switch(word, &runner_->output_settings()->dates, "dates");
}

int MetaCommands::SwitchColors(const std::string& word) {
  return Switch(word, &runner_->output_settings()->options.color, "colors");
}

int MetaCommands::SwitchTiming(const std::string& word) {
  return Switch(word, &runner_->output_settings()->timing, "timing");
}

int MetaCommands::SetNull(const std::string& text) {
  runner_->output_settings()->options.null_text = text;
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

int MetaCommands::RemoveParameter(const std::string& name) {
  runner_->RemoveParameter(name);
  return kExitOk;
}

int MetaCommands::Redirect(const std::string& path) {
  Status status = runner_->output()->Redirect(path, Appearance::kAtOnce);
  return status.ok() ? kExitOk : Fail(MessageOf(status));
}

}  // namespace sippar::cli
