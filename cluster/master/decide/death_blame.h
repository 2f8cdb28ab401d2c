// Decides which tablets are blamed for the death of a server. A tablet whose load or whose rows end
// its server's process would otherwise end the next server, and the next one
// (tests/FAULTS.md P19; cluster/PROTOCOL.md, "Tablets that are set aside").
//
// A tablet is on trial from the moment at which a server is told to load it until that server has
// served it for trial_us. Nearly all that makes a server end does so then: the replay of a log, the
// first compaction, and the callers who repeat the call that the last server did not answer. When a
// server dies, its tablets on trial are blamed; of those, only the ones with the most earlier
// deaths. A tablet that has passed its trial is cleared of all deaths. A tablet is set aside by its
// third death (deaths_max) within deaths_us, if no other one was blamed for that death. So that one
// is alone then, tablets with two deaths are tried one after another (MayTry). METADATA's tablets
// are never blamed: without them nothing is served. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// What the death of the tablet's server says of the tablet. Requires that all tablets are known,
// that is StartStage::kRunning. The answers for all tablets of a dead server are decided together,
// when the first of them is asked for.
Blame BlameOf(Turn* turn, Server* dead, const Tablet& tablet);

// False: the tablet is suspected, and it is the turn of others of its server that are, too. At most
// an eighth of a server's suspects have their turn at a time, and at least one: they are loaded and
// then served for 2 s before the next.
bool MayTry(const Turn& turn, const Server& server, const Tablet& tablet);

// Records that the tablet's server serves it.
void BeginServing(const Turn& turn, Tablet* tablet);

}  // namespace sippar::cluster::master
