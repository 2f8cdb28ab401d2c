// History: the shell's history file, with mode 0600. Each entry is a statement or a shell command
// with its time.
// Several shells may append at once. The file has readline's format (time lines that begin with #),
// so that an entry of several lines is read back as one. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sippar::cli {

class History {
 public:
  // The file is $SIPPAR_HISTORY, or ~/.sippar_history; the value "off" disables it.
  History();
  // Reads the file into readline's list. First cuts a very large file to its last lines.
  void Load();
  // Adds `entry` to the list and to the file, unless it is empty or very long, begins with a blank,
  // or equals the previous entry.
  void Add(const std::string& entry);
  const std::string& path() const { return path_; }  // "" if disabled
  // The entries of a history file, the newest last; none if it cannot be read.
  static std::vector<std::string> ReadEntries(const std::string& path);

 private:
  std::string path_;
  std::string last_;
};

}  // namespace sippar::cli
