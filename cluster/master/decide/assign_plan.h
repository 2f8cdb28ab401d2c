// Plans which server gets which tablet: takes the heaviest tablet first, and gives each one to the
// server with the least weight so far. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/api/server_id.h"

namespace sippar::cluster::master {

struct ServerLoad {
  ServerId server;
  uint64_t weight = 0;
};

struct TabletToPlace {
  uint64_t tablet_id = 0;
  uint64_t weight = 0;
  bool of_metadata = false;  // true: placed before all other tablets
  ServerId refused_by;       // server to avoid if there is another one
};

struct Placement {
  uint64_t tablet_id = 0;
  ServerId server;
};

// Places all of `tablets`, METADATA's first. The result is empty if there is no server.
std::vector<Placement> PlanAssignment(std::vector<ServerLoad> servers,
                                      std::vector<TabletToPlace> tablets);

}  // namespace sippar::cluster::master
