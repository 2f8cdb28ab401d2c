// Merges two neighbours into one tablet (paper section 5.3: the master initiates merges;
// tests/FAULTS.md P8). Both are unloaded, so all their data is in SSTables. Then both records
// become kMerging, the left one first, and from then on no master assigns them. One write commits
// the merge (metadata_table.h).
//
// If a master finds a kMerging record that belongs to none of its own merges, it makes the record
// kUnassigned again. It begins with the right record of a pair, and changes each record only while
// the right neighbour is served. A late commit, or late change to kMerging, of an older master then
// fails, because it names a version of the right record that no longer exists. So METADATA is the
// only durable state of a merge.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void OnEvent(Turn* turn, const event::MergeTablets& request);
// Starts a merge of two neighbours if they get few calls and their total size is small compared
// with the split size of their table. At most MasterOptions::merges_max of these merges are in
// flight.
void MergeSmallTablets(Turn* turn);
// Requests the next action of every merge that has no action in flight.
void RunMerges(Turn* turn);
// Handles a tablet in phase kMerging: waits, has its rows read again, or makes it kUnassigned.
void LookAtMerging(Turn* turn, Tablet* tablet);
// Handles the answer to an action of a merge. Called after OnDone, so that the state has the
// tablets' new records.
void MergeAnswered(Turn* turn, const event::Done& done);

}  // namespace sippar::cluster::master
