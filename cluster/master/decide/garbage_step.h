// The sweep, in rounds: list the files; remove from the list those that METADATA or a backup names;
// wait; remove those named by then; move the rest to the trash; delete old trash. Any error ends
// the round and nothing is removed, since a row that could not be read may name any file
// (PROTOCOL.md). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void RunGarbage(Turn* turn);
// Ends the round if it has begun to look for names: the files of the table that is restored may be
// named nowhere during its scans. The next round begins when all rows of the table name their
// files.
void RestoreBegins(Turn* turn);
// Takes the answer to an action of the sweep.
void GarbageAnswered(Turn* turn, const event::Done& done);

}  // namespace sippar::cluster::master
