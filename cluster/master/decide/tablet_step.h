// Decides what to do next for one tablet, from its record in METADATA, its server, and the plans
// for it. The decision is derived from these facts each time and no progress is stored, so a tablet
// cannot get stuck in a state that no code handles:
//
//   kUnassigned  assign_plan picks a server; METADATA is changed before the server is told to load
//   kAssigned    server alive: repeat the load until the server reports that it serves the tablet.
//                To move or merge the tablet, unload it; METADATA is changed only after the server
//                has closed the epoch. Server dead: kRecovering after its log was renamed
//   kRecovering  becomes kUnassigned when the log is sealed and sorted
//   kMerging     the record is erased if the merge was committed, otherwise kUnassigned again
//                (merge_step.h)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Updates the state with facts from METADATA: newer facts replace the known ones, older ones are
// ignored. If that leaves rows without a tablet, those rows are read again.
void Learn(Turn* turn, const TabletFacts& facts);
void Forget(Turn* turn, const TabletKey& key);
// Updates the state with a complete range of METADATA: `records` are all records with `after` < key
// <= `last`, as read by the action with number `asked`. Known tablets that are not listed are
// forgotten, unless something newer than `asked` is known about them.
void LearnRange(Turn* turn, uint64_t asked, const TabletKey& after, const TabletKey& last,
                const std::vector<TabletFacts>& records);
// Marks rows of METADATA to be read again, in this step or the next.
void Doubt(Turn* turn, uint64_t table_id, const RowRange& rows);
// Marks the tablet to be looked at in this step.
void LookAgain(Turn* turn, const Tablet& tablet);
// Records that the tablet's server serves the tablet at its current epoch, as a report or the
// answer to a load says.
void SetLoaded(Turn* turn, Tablet* tablet);

// Records that no server serves the tablet.
void SetUnserved(Turn* turn, Tablet* tablet);

// Marks the tablets for which no server was available, because there may be one now.
void LookAtUnplaced(Turn* turn);

// For each server on which a load ended in this step, marks tablets whose load waited for the end
// of another load. Returns false if no tablet is marked.
bool WakeWaiting(Turn* turn);

// Requests the next action that the tablet needs, unless one is in flight.
void LookAt(Turn* turn, Tablet* tablet);
// Assigns the tablets of turn->to_place, those without a live target in one plan, so that the plan
// takes into account the load that each of these tablets adds to its server.
void PlaceTablets(Turn* turn);
// Reads again the rows that were marked by Doubt.
void ReadHoles(Turn* turn);

void OnDone(Turn* turn, const action::LoadTablet& asked, const event::Done& done);
void OnDone(Turn* turn, const action::UnloadTablet& asked, const event::Done& done);
void OnDone(Turn* turn, const action::ChangeRecord& asked, const event::Done& done);
void OnDone(Turn* turn, const action::EraseRecord& asked, const event::Done& done);

// Recomputes the tablet's weight from its sizes and calls, and adds the difference to `server`, the
// server that the tablet's record names (nullptr if none).
void SetWeight(Server* server, Tablet* tablet);
// The part of a tablet's weight that its calls cause.
uint64_t WeightOfCalls(uint64_t calls_per_second);

}  // namespace sippar::cluster::master
