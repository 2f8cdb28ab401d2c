// The change stream of one partition: the rows of one tablet, for as long as this server has the
// tablet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "cluster/api/data_api.h"
#include "engine/tablet/tablet.h"

namespace sippar::cluster {

// Implements TabletService::ReadChanges. After `is_here` returns false, another server may have the
// tablet's rows and newer changes of them, so the stream sends its reader there. `clock` outlives
// the stream.
std::unique_ptr<ChangeStream> NewTabletChanges(std::shared_ptr<engine::Tablet> tablet,
                                               std::function<bool()> is_here, engine::Clock* clock,
                                               const ChangesRequest& request, CancelFlag cancel);

}  // namespace sippar::cluster
