// Changes of schemas: first the table's file in tables/ is written, then every server that serves a
// tablet of the table is told. A server that did not answer is told again. If the master changes
// before that, the next one sees the old version in the server's report and tells the server. A
// tablet that is loaded always gets the newest schema. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void OnEvent(Turn* turn, const event::AlterTable& request);
// Continues all changes of tables that are in progress and answers requests that have ended.
void RunTables(Turn* turn);
// Takes the outcome of writing a table's file, for tables in any state.
void OnDone(Turn* turn, const action::WriteTable& asked, const event::Done& done);
void OnDone(Turn* turn, const action::SetSchema& asked, const event::Done& done);

}  // namespace sippar::cluster::master
