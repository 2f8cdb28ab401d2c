// Changes of schemas: the file in tables/ first, then every server that serves a tablet of the
// table. A server that cannot be told is told again, by reports also under the next master; a
// tablet that is loaded gets the newest. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void OnEvent(Turn* turn, const event::AlterTable& request);
// Goes on with whatever is under way for the tables; ends requests.
void RunTables(Turn* turn);
// Of every life of a table.
void OnDone(Turn* turn, const action::WriteTable& asked, const event::Done& done);
void OnDone(Turn* turn, const action::SetSchema& asked, const event::Done& done);

}  // namespace sippar::cluster::master
