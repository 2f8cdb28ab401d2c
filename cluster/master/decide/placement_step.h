// Administrators' requests about the places of tablets: single moves, drained servers, letting back
// tablets that were set aside, and an immediate balance round. tablet_step.h then moves the
// tablets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Finds the live server that an administrator names by NAME or NAME.EPOCH. kNotFound: the master
// does not know the server; kFailedPrecondition: the server has ended. Both messages list the live
// servers.
StatusOr<ServerId> FindLiveServer(const MasterState& state, const std::string& text);

// Finds the tablet of the table, METADATA included, that has `row`. kNotFound: table not found.
// kUnavailable: no tablet with this row is known at present.
StatusOr<Tablet*> FindTabletOf(MasterState* state, const std::string& table,
                               const std::string& row);

void OnEvent(Turn* turn, const event::MoveTablet& request);
void OnEvent(Turn* turn, const event::LetBack& request);
void OnEvent(Turn* turn, const event::BalanceNow& request);

// Chooses other servers for tablets of drained servers, as many tablets as may move at the same
// time. Does nothing while no server can take them.
void RunDrains(Turn* turn);

}  // namespace sippar::cluster::master
