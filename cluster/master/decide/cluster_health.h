// What the master's state says about the health of its cluster, for administrators. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/api/cluster_status.h"
#include "cluster/master/decide/master_state.h"

namespace sippar::cluster::master {

// All but what only the lock service knows: the cluster's id, the master's name, the candidates,
// and how each member is reached. Walks all tablets.
ClusterHealth HealthOf(const MasterState& state, int64_t now_us);

}  // namespace sippar::cluster::master
