// Keeps a dropped table so that it can be restored. Its file becomes kKept, which frees the name;
// its tablets are unloaded and released but remain in METADATA, so the sweep keeps their files and
// logs. When `kept_until_us` has passed, the table is deleted like any other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void KeepTable(Turn* turn, const event::DropTable& request, Table* table);
void RunKept(Turn* turn, Table* table);
void OnEvent(Turn* turn, const event::UndeleteTable& request);

}  // namespace sippar::cluster::master
