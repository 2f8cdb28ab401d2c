// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace sippar::cli {
namespace {

constexpr int64_t kFirstShownNs = 500'000'000;
constexpr int64_t kRenewNs = 100'000'000;

// The text begins with the share of the work that is done, if it is known, because a share tells
// the user more than counts do.
std::string ProgressText(const query::Progress& progress, double seconds) {
  std::string text = progress.share >= 0 ? fmt::format("{:.0f} %  ", progress.share * 100) : "";
  if (progress.tablets > 0) {
    text += fmt::format("tablets {}/{}  ", progress.tablets_done, progress.tablets);
  }
  // A dump and a restore count only cells, so they show no rows.
  if (progress.rows_read > 0 || progress.cells_read == 0) {
    text += fmt::format("rows {}  ", progress.rows_read);
  }
  if (progress.cells_read > 0) {
    text += fmt::format("cells {}  {:.0f} cells/s  ", progress.cells_read,
                        static_cast<double>(progress.cells_read) / seconds);
  }
  text += fmt::format("{:.1f} s", seconds);
  // Share below which an estimate of the remaining time is too rough.
  constexpr double kShareLeast = 0.02;
  if (progress.share < kShareLeast) return text;
  return text + fmt::format(", {:.0f} s left", seconds * (1 / progress.share - 1));
}

}  // namespace

ProgressLine::ProgressLine(bool enabled) : enabled_(enabled) {}

void ProgressLine::Start() {
  start_ns_ = engine::Clock::System()->MonotonicNanos();
  last_ns_ = 0;
}

void ProgressLine::Show(const query::Progress& progress) {
  if (!enabled_) return;
  int64_t now = engine::Clock::System()->MonotonicNanos();
  // A short statement shows no progress line, because a line that vanishes at once would only
  // distract the user.
  if (now - start_ns_ < kFirstShownNs || now - last_ns_ < kRenewNs) return;
  last_ns_ = now;
  double seconds = static_cast<double>(now - start_ns_) / 1e9;
  fmt::print(stderr, "\r\x1b[K{}", ProgressText(progress, seconds));
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::Wipe() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace sippar::cli
