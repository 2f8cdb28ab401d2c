// What a tablet's server may make of its record in METADATA, and what it learns when somebody else
// changed it. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cluster/api/tablet_record.h"

namespace sippar::cluster {

// With a state that its server saved. The logs of dead servers go in the same write that names the
// SSTables with the last of their records (`replayed_through`; PROTOCOL.md, F6).
TabletRecord WithState(TabletRecord record, const engine::TabletState& state,
                       uint64_t replayed_through);
// Would WithState say nothing that the record does not say?
bool IsCurrent(const TabletRecord& record, const engine::TabletState& state);

// Given back by its server, which has closed and saved it and leaves.
TabletRecord WithoutServer(TabletRecord record);

// The commit of a split: both children under one epoch above the parent's, in one row.
TabletRecord WithSplit(TabletRecord record, const engine::TabletState& closed,
                       const SplitRecord& split);

enum class Standing : uint8_t {
  kMine,   // the same tablet, server and epoch: only the count of changes went on
  kSplit,  // my own split of it was committed, and somebody has spelled it out
  kLost,   // another owner, or another shape: nothing of mine counts any more
};
Standing StandingOf(const TabletRecord& found, const TabletRecord& mine, const SplitRecord* split);

// Of a call that changes something: was it done?
inline bool OutcomeIsUnknown(const Status& status) {
  return status.code() == StatusCode::kUnavailable ||
         status.code() == StatusCode::kDeadlineExceeded;
}

// For SHOW EVENTS.
std::string SaveText(const TabletRecord& before, const engine::TabletState& state);

}  // namespace sippar::cluster
