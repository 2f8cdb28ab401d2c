// Balance rounds: plans moves from the loads that servers have reported, then carries each move out
// as unload, change of METADATA, and load (tablet_step.h). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Starts a round if balance_us have passed since the last one.
void RunBalance(Turn* turn);
void OnDone(Turn* turn, const action::SplitByLoad& asked, const event::Done& done);

}  // namespace sippar::cluster::master
