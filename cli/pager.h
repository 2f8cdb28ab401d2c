// Pager: a program such as less that shows text larger than the screen. It runs until the user
// leaves it. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
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

// The user's pager: $SIPPAR_PAGER, else $PAGER; "" if that is "off". If neither is set: less; "" if
// less is not installed or the terminal cannot move its cursor.
std::string DefaultPager();

// True if `text`, a footer of two lines and the prompt fit the screen. `folds`: the terminal wraps
// lines longer than the screen; otherwise such lines do not fit.
bool FitsScreen(std::string_view text, const ScreenSize& screen, bool folds);

class Pager {
 public:
  // Starts `command`, a command line for sh. `folds`: less wraps long lines instead of cutting them
  // at the screen's edge.
  [[nodiscard]] static StatusOr<std::unique_ptr<Pager>> Start(const std::string& command,
                                                              bool folds);
  // Waits until the user has left the pager.
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  // Returns false if the user has left the pager or pressed Ctrl-C.
  bool Write(std::string_view text);
  // True if the user has left the pager; further text is then not shown.
  bool HasEnded();

 private:
  Pager(pid_t pid, int input) : pid_(pid), input_(input) {}

  pid_t pid_;
  int input_;
  bool ended_ = false;   // the process has ended
  bool closed_ = false;  // the pager reads no more input
};

}  // namespace sippar::cli
