// The shell's history file: one entry per statement with its time, mode 0600. Several shells
// append; none overwrites. Kept in readline's form (time lines beginning with #), so that entries
// of several lines come back whole. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sippar::cli {

class History {
 public:
  // $SIPPAR_HISTORY (a file, or "off"), else ~/.sippar_history.
  History();
  void Load();  // into readline's list
  // Remembers `entry` in the list and the file; not when it begins with a blank or repeats the
  // last.
  void Add(const std::string& entry);
  const std::string& path() const { return path_; }  // "" when off

 private:
  std::string path_;
  std::string last_;
};

}  // namespace sippar::cli
