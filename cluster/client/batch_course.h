// One batch of writes on its way: grouped by tablet, the groups sent at the same time, what met a
// tablet that is not there any more grouped again. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/client/tablet_caller.h"

namespace sippar::cluster {

// Statuses in the order of `batch`. `repeat`: whether the mutations have request ids.
[[nodiscard]] std::vector<Status> ApplyInGroups(TabletCaller* caller, const std::string& table,
                                                const std::vector<const RowMutation*>& batch,
                                                Repeat repeat, size_t parallel_calls);

}  // namespace sippar::cluster
