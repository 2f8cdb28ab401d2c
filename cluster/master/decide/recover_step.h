// Recovers from the death of a tablet server (paper section 5.2; PROTOCOL.md, F0 to F6). Each stage
// succeeds at once if it was done before, so any number of masters may begin a recovery and none of
// them needs to finish it.
//
//   kFence   takes the server's lock and removes its file: it can never renew its lease (F0)
//   kStop    proves that the server no longer writes anything (F1)
//   kRename  renames the log directory: the server can then acknowledge nothing more (F2)
//   kSeal    reads the log and writes the SEAL, which fixes for ever which records count (F3)
//   kSort    makes the live servers sort the segments in parallel (F4). After a sort that failed,
//            kSeal tells again which segments there are
//   kReady   publishes and assigns the server's tablets one by one (tablet_step.h: F4, F5). Their
//            records become kRecovering as soon as the log is renamed (F2b)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Starts a recovery unless one is in progress. If the server still holds its lock and `by_force` is
// false, the stage kFence does nothing to the server and ends the recovery.
void StartRecovery(Turn* turn, Server* server, bool by_force);
// Requests the action that is due next, unless an action is in flight or a retry must wait.
void Recover(Turn* turn, Server* server);
// True if the recovery is complete and no record names the server, so the master can forget it.
bool IsOver(const MasterState& state, const Server& server);

void OnDone(Turn* turn, const action::FenceServer& asked, const event::Done& done);
void OnDone(Turn* turn, const action::StopWriter& asked, const event::Done& done);
void OnDone(Turn* turn, const action::RenameLog& asked, const event::Done& done);
void OnDone(Turn* turn, const action::SealLog& asked, const event::Done& done);
void OnDone(Turn* turn, const action::SortLogPart& asked, const event::Done& done);

}  // namespace sippar::cluster::master
