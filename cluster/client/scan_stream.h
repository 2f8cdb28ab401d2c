// A read over the tablets of a table that goes on after moves, splits and merges at the cell behind
// the last one seen. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/tablet_caller.h"

namespace sippar::cluster {

// `caller` outlives the stream.
[[nodiscard]] StatusOr<std::unique_ptr<CellStream>> NewScanStream(TabletCaller* caller,
                                                                  const std::string& table,
                                                                  const ReadSpec& read,
                                                                  const CallOptions& options);

}  // namespace sippar::cluster
