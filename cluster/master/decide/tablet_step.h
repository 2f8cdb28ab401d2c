// The life of one tablet: what its record, its server and the plans for it ask for next. Everything
// is derived from facts, so that nothing about a tablet can be forgotten in an odd state:
//
//   kUnassigned  -> assign_plan picks a server; METADATA changed first, then the server told
//   kAssigned    its server lives: load until it says that it serves; to move or merge: unload, and
//                only when the server has closed the epoch, change METADATA
//                its server is dead: kRecovering once the log has been renamed
//   kRecovering  -> kUnassigned when the log is sealed and sorted
//   kMerging     behind a commit: erased; before it: given back (merge_step.h)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Facts from METADATA: newer ones replace what is known, older ones are dropped. Rows that no
// tablet has then are read again.
void Learn(Turn* turn, const TabletFacts& facts);
void Forget(Turn* turn, const TabletKey& key);
// All records of METADATA in ("after", "last"], as they were when `asked` was answered.
void LearnRange(Turn* turn, uint64_t asked, const TabletKey& after, const TabletKey& last,
                const std::vector<TabletFacts>& records);
// The rows are read again, soon.
void Doubt(Turn* turn, uint64_t table_id, const RowRange& rows);
void LookAgain(Turn* turn, const Tablet& tablet);
// Its server has said that it serves it at this epoch.
void SetLoaded(Turn* turn, Tablet* tablet);

// There may be a server now for tablets that found none.
void LookAtUnplaced(Turn* turn);

// Tablets whose load waited are to be looked at, where one has ended in this step; false: none.
bool WakeWaiting(Turn* turn);

// Asks for the next thing that the tablet needs, unless something is under way.
void LookAt(Turn* turn, Tablet* tablet);
// Puts turn->to_place on servers, all in one plan.
void PlaceTablets(Turn* turn);
// Reads doubted rows.
void ReadHoles(Turn* turn);

void OnDone(Turn* turn, const action::LoadTablet& asked, const event::Done& done);
void OnDone(Turn* turn, const action::UnloadTablet& asked, const event::Done& done);
void OnDone(Turn* turn, const action::ChangeRecord& asked, const event::Done& done);
void OnDone(Turn* turn, const action::EraseRecord& asked, const event::Done& done);

// As a server reports it or as METADATA does. `server`: that its record names, if any.
void SetWeight(Server* server, Tablet* tablet);
// The part of a tablet's weight that its calls are.
uint64_t WeightOfCalls(uint64_t calls_per_second);

}  // namespace sippar::cluster::master
