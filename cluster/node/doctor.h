// Finds what is missing, foreign or damaged in a store that no process has open, for `sippar admin
// doctor`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

// Makes all the checks of a start (cluster/README.md) on `directory` and does not stop at the first
// finding; `print` gets one line for each. If a check that needs no METADATA finds a loss, leaves
// out those that read METADATA. Changes nothing. OK: a start would find the store whole; kDataLoss:
// a start would fail; kUnavailable: another process has the store open, and so has made the checks
// itself.
[[nodiscard]] Status ExamineStore(const std::string& directory,
                                  const std::function<void(std::string_view line)>& print);

}  // namespace sippar::cluster
