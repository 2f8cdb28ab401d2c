// Deletes a table (tests/FAULTS.md P15). Its file becomes kDropping, which frees the name; its
// tablets are unloaded and their rows erased (tablet_step.h); then the file is removed. The sweep
// removes its SSTables later. A new master that finds kDropping continues.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void OnEvent(Turn* turn, const event::DropTable& request);
void RunDeletion(Turn* turn, Table* table);
void OnDone(Turn* turn, const action::RemoveTable& asked, const event::Done& done);

}  // namespace sippar::cluster::master
