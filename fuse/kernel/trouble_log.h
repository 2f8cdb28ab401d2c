// TroubleLog: prints one line to stderr per request that failed with trouble (IsTrouble in
// errno_map.h), but at most ten lines in a second. The first failure after that second first prints
// how many were left out; if no other failure comes, that number is not printed. The file .status
// also shows the last error. Used by request. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/thread.h"
#include "fuse/directories/tree_view.h"

namespace sippar::fuse {

class TroubleLog {
 public:
  TroubleLog(TreeView* tree, engine::Clock* clock) : tree_(tree), clock_(clock) {}

  void Write(std::string_view operation, int error, const std::string& detail, int64_t elapsed_us) {
    std::string line = fmt::format("{}: {}: {} ({} ms)", operation, std::strerror(error), detail,
                                   elapsed_us / 1000);
    tree_->NoteError(line);
    engine::MutexLock lock(&mutex_);
    int64_t now_ns = clock_->MonotonicNanos();
    if (now_ns - window_start_ns_ > kWindowNs) {
      if (written_ > kLinesPerWindow) {
        fmt::print(stderr, "sippar mount: {} more failed requests were not printed\n",
                   written_ - kLinesPerWindow);
      }
      window_start_ns_ = now_ns;
      written_ = 0;
    }
    if (++written_ <= kLinesPerWindow) fmt::print(stderr, "sippar mount: {}\n", line);
  }

 private:
  static constexpr int64_t kWindowNs = 1'000'000'000;
  static constexpr uint64_t kLinesPerWindow = 10;

  TreeView* const tree_;
  engine::Clock* const clock_;
  engine::Mutex mutex_;
  int64_t window_start_ns_ GUARDED_BY(mutex_) = 0;
  uint64_t written_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::fuse
