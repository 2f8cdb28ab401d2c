// Balance rounds: plans from what servers have reported, carried out as moves: unload, change
// METADATA, load (tablet_step.h). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// When the time has come.
void RunBalance(Turn* turn);
void OnDone(Turn* turn, const action::SplitByLoad& asked, const event::Done& done);

}  // namespace sippar::cluster::master
