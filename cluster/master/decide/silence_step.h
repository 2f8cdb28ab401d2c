// Removes servers that hold their locks and do not answer this master (tests/FAULTS.md N1, P9).
// Each of them may be cut off from everyone, or this master may be the one that is cut off while
// the clients reach all servers well. So a removal rests on what other servers answer; PROTOCOL.md
// ("Silent servers") has the rules and their reasons.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Starts the recovery of each server whose silence has lasted too long. Where only the answers of
// other servers are missing for that, makes these servers due to be asked now.
void RemoveSilent(Turn* turn);

}  // namespace sippar::cluster::master
