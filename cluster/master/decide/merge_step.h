// Two neighbours become one tablet (paper section 5.3: merges are the master's; FAULTS.md P8):
// both are unloaded, so that everything of them is in SSTables; both records become kMerging, the
// left one first: no master assigns them; one write commits the merge (metadata_table.h).
//
// Whoever finds a kMerging record without a merge of its own gives it back, the right one of a pair
// first, and each only when its right neighbour is served: a late commit, or a late intent, of an
// older master names a record of the right one that is gone by then. So a merge needs no other
// memory than METADATA. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void OnEvent(Turn* turn, const event::MergeTablets& request);
// Neighbours that are small together, at most MasterOptions::merges_max at a time.
void MergeSmallTablets(Turn* turn);
// Asks for what is due next of all merges.
void RunMerges(Turn* turn);
// A tablet in phase kMerging.
void LookAtMerging(Turn* turn, Tablet* tablet);
// Of a merge's own actions, behind what tablet_step.h does with the same answer.
void MergeAnswered(Turn* turn, const event::Done& done);

}  // namespace sippar::cluster::master
