// Decides which tablets are blamed for the death of a server. A tablet whose load or whose rows end
// its server's process would otherwise end one server after another (tests/FAULTS.md P19;
// cluster/PROTOCOL.md, "Tablets that are set aside").
//
// Only a server that left a note of its crash makes suspects (Recovery::crash): one that was
// killed, lost its lease or its machine leaves none. If the note names a tablet, that tablet alone
// is blamed. Otherwise those on trial are blamed.
//
// A tablet is on trial from the moment when a server is told to load it until that server has
// served it for trial_us. Nearly everything that crashes a server does so in this time: the replay
// of a log, the first compaction, and callers that repeat the call that the last server did not
// answer. Blamed are the dead server's tablets on trial, but of these only the ones with the most
// earlier deaths. A tablet that has passed its trial when its server dies without blaming it is
// cleared of all deaths. A tablet is set aside after its third death (deaths_max) within deaths_us,
// if no other tablet was blamed for that death. To make that likely, tablets with two deaths are
// tried only a few at a time (MayTry).
// METADATA's tablets are never blamed: without them nothing is served.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Decides whether the tablet is blamed for the death of its server. Requires that all tablets are
// known, that is StartStage::kRunning. The first call decides for all tablets of the dead server
// together.
Blame BlameOf(Turn* turn, Server* dead, const Tablet& tablet);

// False: the tablet is a suspect and has to wait for other suspects of its server. At most an
// eighth of a server's suspects, but at least one suspect, may be tried at a time: a suspect is
// loaded and then served for 2 s before the next one is tried.
bool MayTry(const Turn& turn, const Server& server, const Tablet& tablet);

// Records that the tablet's server serves it.
void BeginServing(const Turn& turn, Tablet* tablet);

}  // namespace sippar::cluster::master
