// SPDX-License-Identifier: Apache-2.0
#include "cli/history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
// The headers of readline need FILE to be declared first.
#include <fmt/format.h>
#include <readline/history.h>

#include "engine/base/clock.h"

namespace sippar::cli {
namespace {

constexpr int kEntriesMax = 5000;        // limit of entries in memory
constexpr off_t kFileSizeMax = 8 << 20;  // size above which Load truncates the file
constexpr int kFileLinesKept = 50'000;
// Limit of an entry's size; a pasted bulk insert is not worth keeping.
constexpr size_t kEntrySizeMax = 64 << 10;

}  // namespace

History::History() {
  const char* chosen = std::getenv("SIPPAR_HISTORY");
  const char* home = std::getenv("HOME");
  if (chosen != nullptr) {
    path_ = std::string(chosen) == "off" ? "" : chosen;
  } else if (home != nullptr) {
    path_ = std::string(home) + "/.sippar_history";
  }
}

void History::Load() {
  using_history();
  stifle_history(kEntriesMax);
  history_comment_char = '#';
  history_write_timestamps = 1;
  history_multiline_entries = 1;
  // The settings above must precede read_history: they make readline join all lines between two
  // timestamp lines into one entry.
  if (path_.empty()) return;
  struct stat info = {};
  if (stat(path_.c_str(), &info) != 0) return;
  // This rewrites the file: an entry that another shell appends at this moment may be lost.
  if (info.st_size > kFileSizeMax) history_truncate_file(path_.c_str(), kFileLinesKept);
  read_history(path_.c_str());
  HIST_ENTRY* newest =
      history_length > 0 ? history_get(history_base + history_length - 1) : nullptr;
  if (newest != nullptr) last_ = newest->line;
}

void History::Add(const std::string& entry) {
  if (entry.empty() || entry[0] == ' ' || entry == last_ || entry.size() > kEntrySizeMax) return;
  last_ = entry;
  add_history(entry.c_str());
  if (path_.empty()) return;
  int descriptor = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return;  // the shell works without a history
  int64_t seconds = engine::Clock::System()->NowMicros() / 1'000'000;
  std::string record = fmt::format("#{}\n{}\n", seconds, entry);
  // A single write with O_APPEND keeps the entries of two shells from mixing.
  [[maybe_unused]] ssize_t written = write(descriptor, record.data(), record.size());
  close(descriptor);
}

std::vector<std::string> History::ReadEntries(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> entries;
  for (std::string line; std::getline(file, line);) {
    // A line "#seconds" begins an entry.
    bool time = line.size() > 1 && line[0] == '#' &&
                line.find_first_not_of("0123456789", 1) == std::string::npos;
    if (time) {
      entries.emplace_back();
    } else if (!entries.empty()) {
      entries.back() += line + "\n";
    }
  }
  return entries;
}

}  // namespace sippar::cli
