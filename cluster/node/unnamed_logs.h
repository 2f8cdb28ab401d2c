// What METADATA must say about the logs of ended lives: a tablet's record names each log that has
// writes of the tablet after its redo point (PROTOCOL.md, F5). A log that no record names is not
// replayed, and is later swept. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "cluster/api/server_id.h"
#include "cluster/api/tablet_record.h"
#include "engine/log/log_segments.h"

namespace sippar::cluster {

// For each ended life, the highest sequence number of each tablet in its log.
using LastSequences = std::map<ServerId, engine::LogSegments::TabletSequences>;

// Returns the lives whose logs the record should name but does not. Never returns the life that the
// record names as the tablet's server, alive or dead: the recovery of that life adds its log.
std::vector<ServerId> UnnamedLogs(const TabletRecord& record, const LastSequences& lives);

// Adds to the record the logs that UnnamedLogs returns, and that of the record's server if the log
// has later writes, and makes the tablet unassigned, so that the next server replays all logs,
// oldest first. Only for a tablet that no server serves. `lives` may contain lives that the tablet
// does not need.
void NameLogs(const LastSequences& lives, TabletRecord* record);

}  // namespace sippar::cluster
