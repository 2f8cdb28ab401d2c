// Servers that appear, answer, stop answering, and disappear (paper section 5.2). Only the lock
// service decides which server is alive: a server that does not answer the master keeps its tablets
// while it holds its lock, for as long as silence_step.h allows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Does everything that is due: lists servers/, asks servers for reports, removes servers that have
// been silent for too long, and continues recoveries.
void RunServers(Turn* turn);

void OnDone(Turn* turn, const action::ListServers& asked, const event::Done& done);
void OnDone(Turn* turn, const action::AskServer& asked, const event::Done& done);

}  // namespace sippar::cluster::master
