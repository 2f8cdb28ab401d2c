// Pager: the program that shows text larger than the screen, such as less. It runs until the user
// leaves it. Not thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cli {

struct ScreenSize {
  size_t columns = 0;  // 0: not a terminal
  size_t lines = 0;
};

// The user's pager: $SIPPAR_PAGER, else $PAGER, else less. "" if there is none, if it is "off", or
// if the terminal cannot move its cursor.
std::string DefaultPager();

// True if `text`, two more lines below it and the prompt fit the screen. `folds`: lines longer than
// the screen go on below; otherwise they do not fit.
bool FitsScreen(std::string_view text, const ScreenSize& screen, bool folds);

class Pager {
 public:
  // Starts `command`, a line for sh. `folds`: less shows long lines whole, instead of cutting them
  // at the screen's edge.
  [[nodiscard]] static StatusOr<std::unique_ptr<Pager>> Start(const std::string& command,
                                                              bool folds);
  // Waits until the user has left the pager.
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  // False if the user has left the pager, or at Ctrl-C.
  bool Write(std::string_view text);
  // True if the user has left the pager. Then no more text is wanted.
  bool HasEnded();

 private:
  Pager(pid_t pid, int input) : pid_(pid), input_(input) {}

  pid_t pid_;
  int input_;
  bool ended_ = false;   // the process has ended
  bool closed_ = false;  // it reads no more
};

}  // namespace sippar::cli
