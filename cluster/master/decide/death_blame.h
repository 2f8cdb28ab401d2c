// Decides whether a tablet is blamed for the death of its server. A tablet whose load or whose rows
// crash its server's process would otherwise crash one server after another (tests/FAULTS.md P19;
// cluster/PROTOCOL.md, "Tablets that are set aside").
//
// Blamed is the tablet that the server's note of its crash names (Recovery::crash), and no other. A
// server that was killed, lost its lease or its machine leaves no note, and its death blames no
// tablet. With its third death (deaths_max) within deaths_us a tablet is set aside.
// METADATA's tablets are never blamed: without them nothing is served.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/master_state.h"

namespace sippar::cluster::master {

// `tablet` is assigned to `dead`, whose log is renamed.
Blame BlameOf(const MasterState& state, const Server& dead, const Tablet& tablet);

}  // namespace sippar::cluster::master
