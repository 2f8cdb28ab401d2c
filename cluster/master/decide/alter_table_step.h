// Changes of schemas: first the table's file in tables/ is written, then the new schema is sent to
// every server that serves a tablet of the table, again and again until the server answers. If the
// master changes before that, the next master sees the old version in the server's report and sends
// the new schema. A tablet that is loaded always gets the newest schema.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

void OnEvent(Turn* turn, const event::AlterTable& request);
// Continues all changes of tables that are in progress, and answers their requests when they end.
void RunTables(Turn* turn);
// Handles the outcome of writing a table's file, for tables in any state.
void OnDone(Turn* turn, const action::WriteTable& asked, const event::Done& done);
void OnDone(Turn* turn, const action::SetSchema& asked, const event::Done& done);

}  // namespace sippar::cluster::master
