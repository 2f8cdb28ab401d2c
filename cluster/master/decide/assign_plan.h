// Which server gets which tablet: heaviest first, each to the server that has the least. Pure.
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
  bool of_metadata = false;  // goes before all others
  ServerId refused_by;       // not this one, if there is another
};

struct Placement {
  uint64_t tablet_id = 0;
  ServerId server;
};

// All of `tablets`, METADATA's first; none when there is no server.
std::vector<Placement> PlanAssignment(std::vector<ServerLoad> servers,
                                      std::vector<TabletToPlace> tablets);

}  // namespace sippar::cluster::master
