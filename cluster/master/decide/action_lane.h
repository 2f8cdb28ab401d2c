// Decides which threads of the master carry an action out. Lanes follow the levels of METADATA: an
// action that waits for METADATA's tablets must not occupy the threads of the actions that recover
// these tablets. Within a lane, groups divide the threads (lane_queue.h): an action that waits for
// a server must not occupy the threads of the actions on other servers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cluster/master/decide/master_action.h"

namespace sippar::cluster::master {

enum Lane : uint8_t {
  kLocks,     // the lock service, dead servers' logs and the root tablet
  kMetadata,  // METADATA's other tablets
  kUser,      // user tablets
  kCalls,     // calls and file work that need no METADATA
  kLanes,     // the number of lanes
};

Lane LaneOf(const ActionBody& body);
// Actions of the same group may wait for the same server. The group is the name of that server, or
// of the dead server whose recovery the action is part of; for LevelBirths and the sweep, the name
// of the work. "": another action on METADATA or the lock service.
std::string GroupOf(const ActionBody& body);

}  // namespace sippar::cluster::master
