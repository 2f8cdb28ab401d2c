// Death of a tablet server (paper section 5.2; PROTOCOL.md, F0 to F6). Whoever starts again
// finds each stage's work done: any number of masters may begin it and none need finish.
//
//   kFence   its lock is taken and its file removed: it can never renew (F0)
//   kStop    nothing of it writes any more (F1)
//   kRename  its log directory loses its name: nothing can be acknowledged from it (F2)
//   kSeal    the log is read; the SEAL says for ever what counts (F3)
//   kSort    its segments are sorted in parallel on the live servers (F4)
//   kReady   its tablets are published and assigned one by one (tablet_step.h: F2b, F4, F5)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// `by_force`: also when it holds its lock. No effect on a recovery that is under way.
void StartRecovery(Turn* turn, Server* server, bool by_force);
// Asks for what is due next, unless it is under way.
void Recover(Turn* turn, Server* server);
// Has nobody needed the server any more? Then it is forgotten.
bool IsOver(const MasterState& state, const Server& server);

void OnDone(Turn* turn, const action::FenceServer& asked, const event::Done& done);
void OnDone(Turn* turn, const action::StopWriter& asked, const event::Done& done);
void OnDone(Turn* turn, const action::RenameLog& asked, const event::Done& done);
void OnDone(Turn* turn, const action::SealLog& asked, const event::Done& done);
void OnDone(Turn* turn, const action::SortLogPart& asked, const event::Done& done);

}  // namespace sippar::cluster::master
