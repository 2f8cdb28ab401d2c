// A stream over several tablets of a table, which it opens one after the other in the given order.
// It ends at cancellation and at the deadline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cluster/api/data_api.h"
#include "engine/base/clock.h"
#include "engine/tablet/tablet.h"

namespace sippar::cluster {

// Opens the tablets up to the first cell at once, so that a bad pattern is reported here.
[[nodiscard]] StatusOr<std::unique_ptr<CellStream>> NewTableStream(
    std::vector<std::shared_ptr<engine::Tablet>> tablets, const ReadSpec& read,
    const CallOptions& options, engine::Clock* clock,
    engine::ReadForm form = engine::ReadForm::kCells);

}  // namespace sippar::cluster
