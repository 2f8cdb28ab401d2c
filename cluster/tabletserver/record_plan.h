// The changes that a tablet's server may make to the tablet's record in METADATA, and what it
// concludes when the record is not the one that it knows. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cluster/api/tablet_record.h"

namespace sippar::cluster {

// Returns the record with a state that the tablet's server has saved. Drops the names of dead
// servers' logs as soon as the state's SSTables hold everything that was replayed from these logs:
// all sequence numbers up to `replayed_through` (PROTOCOL.md, F6).
TabletRecord WithState(TabletRecord record, const engine::TabletState& state,
                       uint64_t replayed_through);
// True if the record has exactly this state and names no log; saving the state again would then
// change nothing.
bool IsCurrent(const TabletRecord& record, const engine::TabletState& state);

// Returns the unassigned record of a tablet that its server has closed and saved because the server
// shuts down.
TabletRecord WithoutServer(TabletRecord record);

// Returns the record that commits a split: this one record names both children, under one epoch
// above the parent's.
TabletRecord WithSplit(TabletRecord record, const engine::TabletState& closed,
                       const SplitRecord& split);

// What the record `found` in METADATA means to a server whose last known record is `mine`.
enum class Standing : uint8_t {
  kMine,   // same tablet, server and epoch: only this server can have changed it
  kSplit,  // this server's own split was committed, and is finished
  kLost,   // this server no longer has the tablet, or other tablets have its rows
};
Standing StandingOf(const TabletRecord& found, const TabletRecord& mine, const SplitRecord* split);

// True if a call with this status may or may not have changed something.
inline bool OutcomeIsUnknown(const Status& status) {
  return status.code() == StatusCode::kUnavailable ||
         status.code() == StatusCode::kDeadlineExceeded;
}

// Text of the event "saved", for SHOW EVENTS.
std::string SaveText(const TabletRecord& before, const engine::TabletState& state);

}  // namespace sippar::cluster
