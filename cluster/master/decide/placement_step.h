// What administrators say about the places of tablets: single moves, drained servers, and a balance
// round at once. How a tablet then moves is in tablet_step.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// The live server that an administrator names by NAME or NAME.EPOCH. kNotFound: the master does not
// know it; kFailedPrecondition: it has ended. Both messages list the live servers.
StatusOr<ServerId> FindLiveServer(const MasterState& state, const std::string& text);

// The tablet of the table, METADATA included, that has `row`. kNotFound: unknown table.
// kUnavailable: no tablet with this row is known at present.
StatusOr<Tablet*> FindTabletOf(MasterState* state, const std::string& table,
                               const std::string& row);

void OnEvent(Turn* turn, const event::MoveTablet& request);
void OnEvent(Turn* turn, const event::LetBack& request);
void OnEvent(Turn* turn, const event::BalanceNow& request);

// Chooses other servers for tablets of drained ones, as many as may move at the same time. Does
// nothing while no server can take them.
void RunDrains(Turn* turn);

}  // namespace sippar::cluster::master
