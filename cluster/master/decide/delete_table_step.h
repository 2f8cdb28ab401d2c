// The end of a table (FAULTS.md P15): its file becomes kDropping, which frees the name; its
// tablets are unloaded and their rows erased (tablet_step.h); then the file goes. Its SSTables are
// the sweep's. A new master that finds kDropping goes on. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void OnEvent(Turn* turn, const event::DropTable& request);
void RunDeletion(Turn* turn, Table* table);
void OnDone(Turn* turn, const action::RemoveTable& asked, const event::Done& done);

}  // namespace sippar::cluster::master
