// The sweep, in rounds: list the files; remove from the list those that METADATA or a backup names;
// wait; remove those that have been named since; move the rest to the trash; delete old trash. An
// error before the move to the trash ends the round, and nothing is removed, because a row that
// could not be read may name any file (PROTOCOL.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void RunGarbage(Turn* turn);
// Ends the round if it has begun to look for names, because the files of a table that is being
// restored may have no name during its scans. The next round begins when all rows of the table name
// their files.
void RestoreBegins(Turn* turn);
// Handles the answer to an action of the sweep.
void GarbageAnswered(Turn* turn, const event::Done& done);

}  // namespace sippar::cluster::master
