// The sweep, in rounds. A round lists the files, removes from the list those that METADATA or a
// backup names, waits, removes from the list those that have been named since, moves the remaining
// files to the trash, and deletes old trash, the last only while the master's clock is believed
// (wall_clock.h). An error before the move to the trash ends the round,
// and nothing is removed, because a row that could not be read may name any file (PROTOCOL.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void RunGarbage(Turn* turn);
// Ends the current round of the sweep if this round has begun to look for names, because the files
// of a table that is being restored may have no name during the scans of the round. The next round
// begins when all rows of the table name their files.
void RestoreBegins(Turn* turn);
// Handles the answer to an action of the sweep.
void GarbageAnswered(Turn* turn, const event::Done& done);

}  // namespace sippar::cluster::master
