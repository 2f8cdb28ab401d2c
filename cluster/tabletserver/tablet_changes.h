// ChangeStream of the one tablet that a partition is, for as long as it is one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "cluster/api/data_api.h"
#include "engine/tablet/tablet.h"

namespace sippar::cluster {

// As TabletService::ReadChanges. `is_here` false: others may have the tablet's rows by now, so
// nothing that was read before the look says that there is no more. `clock` outlives the stream.
std::unique_ptr<ChangeStream> NewTabletChanges(std::shared_ptr<engine::Tablet> tablet,
                                               std::function<bool()> is_here, engine::Clock* clock,
                                               const ChangesRequest& request, CancelFlag cancel);

}  // namespace sippar::cluster
