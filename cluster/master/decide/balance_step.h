// Balance rounds: plans moves from the loads that servers have reported, then carries out each move
// as an unload, a change of METADATA, and a load (tablet_step.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Starts a round if balance_us have passed since the last one, or after event::BalanceNow. A round
// also merges small tablets, even if balancing is off.
void RunBalance(Turn* turn);
void OnDone(Turn* turn, const action::SplitByLoad& asked, const event::Done& done);

}  // namespace sippar::cluster::master
