// Creates a table in an order that any master can undo (tests/FAULTS.md P15): writes its file in
// tables/ as kCreating, then its rows in METADATA, then its file as kLive. The first write reserves
// the name; only the last makes the table exist. A new master that finds the file as kCreating
// drops the table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

inline constexpr uint64_t kFirstSchemaVersion = 1;

void OnEvent(Turn* turn, const event::CreateTable& request);
void TabletCreated(Turn* turn, const action::CreateRecord& asked, const event::Done& done);
// Continues the creation of a table.
void RunCreation(Turn* turn, Table* table);

}  // namespace sippar::cluster::master
