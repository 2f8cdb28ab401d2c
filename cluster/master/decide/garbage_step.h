// The sweep, round by round: list the files, drop from the list what METADATA names, wait, drop
// once more what it names, put the rest into the trash, purge the old trash. Any error ends the
// round with nothing collected: an unread row names everything (PROTOCOL.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void RunGarbage(Turn* turn);
// Of the sweep's own actions.
void GarbageAnswered(Turn* turn, const event::Done& done);

}  // namespace sippar::cluster::master
