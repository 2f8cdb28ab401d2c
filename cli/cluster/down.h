// `sippar cluster down`: ends the processes of a cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/status.h"

namespace sippar::cli {

struct ClusterDownOptions {
  std::string directory;
  int64_t timeout_us = 60'000'000;
  bool kill = false;  // SIGKILL to all processes at once, without a shutdown
};

// Returns OK also if no process is running. kDeadlineExceeded: some processes did not end in time;
// kCancelled: Ctrl-C was pressed; other errors are those of ClusterHome::Open.
[[nodiscard]] Status ClusterDown(const ClusterDownOptions& options);

}  // namespace sippar::cli
