// A dropped table that can be had back: its file becomes kKept, which frees the name; its tablets
// are unloaded and released, and stay in METADATA as they are, so the sweep counts their files and
// logs. When its time is over it is dropped like any other. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void KeepTable(Turn* turn, const event::DropTable& request, Table* table);
void RunKept(Turn* turn, Table* table);
void OnEvent(Turn* turn, const event::UndeleteTable& request);

}  // namespace sippar::cluster::master
