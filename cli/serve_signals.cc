// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_signals.h"

#include <ctime>

namespace sippar::cli {

sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

void AwaitStop(const sigset_t& signals, const std::function<bool()>& is_over) {
  if (is_over == nullptr) {
    int signal_number = 0;
    sigwait(&signals, &signal_number);
    return;
  }
  const timespec second{1, 0};
  while (sigtimedwait(&signals, nullptr, &second) < 0 && !is_over()) {
  }
}

}  // namespace sippar::cli
