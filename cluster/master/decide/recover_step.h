// Recovers from the death of a tablet server (paper section 5.2; PROTOCOL.md, F0 to F6). Each stage
// succeeds at once if it was done before, so any number of masters may begin a recovery and none of
// them needs to finish it.
//
//   kFence   takes the server's lock and removes its file: it can never renew its lease (F0)
//   kStop    proves that the server writes nothing any more (F1)
//   kRename  renames its log directory: nothing can be acknowledged from it any more (F2)
//   kSeal    reads the log and writes the SEAL, which fixes for ever what counts (F3)
//   kSort    has the segments sorted in parallel on the live servers (F4)
//   kReady   its tablets are published and assigned one by one (tablet_step.h: F2b, F4, F5)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Starts a recovery unless one is in progress. Without `by_force` the fence ends it, with nothing
// done to the server, if the server still holds its lock.
void StartRecovery(Turn* turn, Server* server, bool by_force);
// Requests what is due next, unless an action is in flight or a retry must wait.
void Recover(Turn* turn, Server* server);
// True if the recovery is complete and no record names the server: the master can forget it.
bool IsOver(const MasterState& state, const Server& server);

void OnDone(Turn* turn, const action::FenceServer& asked, const event::Done& done);
void OnDone(Turn* turn, const action::StopWriter& asked, const event::Done& done);
void OnDone(Turn* turn, const action::RenameLog& asked, const event::Done& done);
void OnDone(Turn* turn, const action::SealLog& asked, const event::Done& done);
void OnDone(Turn* turn, const action::SortLogPart& asked, const event::Done& done);

}  // namespace sippar::cluster::master
