// Sends one batch of writes: groups it by tablet, sends the groups concurrently, and groups those
// writes again whose tablet has moved or did not answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cluster/client/tablet_caller.h"

namespace sippar::cluster {

// Returns one status per mutation, in the order of the batch. `repeat`: kSafe if the mutations have
// request ids. At most `parallel_calls` calls are in flight at a time.
[[nodiscard]] std::vector<Status> ApplyInGroups(TabletCaller* caller,
                                                const calls::ApplyRows<LentTable>& asked,
                                                Repeat repeat, size_t parallel_calls,
                                                const CallTime& time);

}  // namespace sippar::cluster
