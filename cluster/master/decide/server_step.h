// Servers that come, answer, fall silent and go (paper section 5.2). Only the lock service says who
// lives; a server that does not answer the master keeps its tablets while it holds its lock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Looks at servers/, asks servers, removes the silent, goes on with recoveries; as time has come.
void RunServers(Turn* turn);

void OnDone(Turn* turn, const action::ListServers& asked, const event::Done& done);
void OnDone(Turn* turn, const action::AskServer& asked, const event::Done& done);

}  // namespace sippar::cluster::master
