// A read over the tablets of a table. After a move, split or merge it continues with the cell that
// follows the last one returned, from a new snapshot. Otherwise each tablet is read from one
// snapshot. The stream never mixes two versions of a row (kAborted instead).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/tablet_caller.h"

namespace sippar::cluster {

// `caller` must outlive the stream.
[[nodiscard]] StatusOr<std::unique_ptr<CellStream>> NewScanStream(TabletCaller* caller,
                                                                  const std::string& table,
                                                                  const ReadSpec& read,
                                                                  const CallOptions& options);

}  // namespace sippar::cluster
