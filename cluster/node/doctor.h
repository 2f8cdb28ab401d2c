// What is missing, foreign or damaged in a store that nobody has open: `sippar admin doctor`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

// Proves of `directory` what a start proves (cluster/README.md), to the end; `print` gets a line
// for each finding. Changes nothing. OK: a start would find it whole; kDataLoss: it would stop;
// kUnavailable: another process has it open, and has proved it.
[[nodiscard]] Status ExamineStore(const std::string& directory,
                                  const std::function<void(std::string_view line)>& print);

}  // namespace sippar::cluster
