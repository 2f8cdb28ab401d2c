// Reports the health of the cluster, as far as the master's state shows it, to administrators.
// Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/api/cluster_status.h"
#include "cluster/master/decide/master_state.h"

namespace sippar::cluster::master {

// Sets everything except what only the lock service knows: the cluster's id, the master's name, the
// candidates, and the addresses of members. Walks all tablets.
ClusterHealth HealthOf(const MasterState& state, int64_t now_us);

}  // namespace sippar::cluster::master
