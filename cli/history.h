// History: the shell's history file. One entry per statement with its time, mode 0600. Several
// shells may append at once. The form is readline's (time lines that begin with #), so that entries
// of several lines are read back whole. Not thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sippar::cli {

class History {
 public:
  // The file is $SIPPAR_HISTORY, or ~/.sippar_history; the value "off" disables it.
  History();
  // Reads the file into readline's list.
  void Load();
  // Adds `entry` to the list and the file, unless it begins with a blank or repeats the last one.
  void Add(const std::string& entry);
  const std::string& path() const { return path_; }  // "" if disabled
  // The entries of a history file, the newest last; none if it cannot be read.
  static std::vector<std::string> ReadEntries(const std::string& path);

 private:
  std::string path_;
  std::string last_;
};

}  // namespace sippar::cli
