// Progress on the terminal, see progress.h. SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <cstdio>

namespace sippar::cli {
namespace {

constexpr int64_t kFirstShownNs = 500'000'000;
constexpr int64_t kRenewNs = 100'000'000;

}  // namespace

ProgressLine::ProgressLine(bool enabled) : enabled_(enabled) {}

void ProgressLine::Start() {
  start_ns_ = engine::Clock::System()->MonotonicNanos();
  last_ns_ = 0;
}

void ProgressLine::Show(const query::Progress& progress) {
  if (!enabled_) return;
  int64_t now = engine::Clock::System()->MonotonicNanos();
  if (now - start_ns_ < kFirstShownNs || now - last_ns_ < kRenewNs) return;
  last_ns_ = now;
  double seconds = static_cast<double>(now - start_ns_) / 1e9;
  double rate = static_cast<double>(progress.cells_read) / seconds;
  fmt::print(stderr, "\r\x1b[Ktablets {}/{}  rows {}  cells {}  {:.0f} cells/s  {:.1f} s",
             progress.tablets_done, progress.tablets, progress.rows_read, progress.cells_read, rate,
             seconds);
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
