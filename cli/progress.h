// ProgressLine: one line about a long statement, dump or restore, on stderr if that is a terminal.
// The line appears after half a second, changes at most ten times a second, and is wiped before
// other output. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/clock.h"
#include "query/session/result.h"

namespace sippar::cli {

class ProgressLine {
 public:
  // `enabled`: stderr is a terminal and the user wants the line.
  explicit ProgressLine(bool enabled);
  void Start();
  void Show(const query::Progress& progress);
  void Wipe();

 private:
  bool enabled_;
  bool shown_ = false;
  int64_t start_ns_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace sippar::cli
