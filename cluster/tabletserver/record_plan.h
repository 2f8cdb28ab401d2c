// The changes that a tablet's server may make to its record in METADATA, and what it learns when
// the record is not the one that it knows. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cluster/api/tablet_record.h"

namespace sippar::cluster {

// The record with a state that its server has saved. Drops the names of dead servers' logs once the
// state's SSTables hold everything replayed from these logs, that is, all sequence numbers up to
// `replayed_through` (PROTOCOL.md, F6).
TabletRecord WithState(TabletRecord record, const engine::TabletState& state,
                       uint64_t replayed_through);
// True if the record says all that WithState would make it say.
bool IsCurrent(const TabletRecord& record, const engine::TabletState& state);

// The unassigned record of a tablet that its server has closed and saved because the server shuts
// down.
TabletRecord WithoutServer(TabletRecord record);

// The record that commits a split: both children in one row, under one epoch above the parent's.
TabletRecord WithSplit(TabletRecord record, const engine::TabletState& closed,
                       const SplitRecord& split);

// What the record found in METADATA means to a server that knows `mine`.
enum class Standing : uint8_t {
  kMine,   // same tablet, server and epoch: only the count of changes differs
  kSplit,  // this server's own split was committed, and another process has finished it
  kLost,   // another server has the tablet, or other tablets have its rows
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
