// How a master begins (paper section 5.2), after the master lock with its epoch:
//
//   kServers   reads servers/ for the live servers, and tables/ for the schemas
//   kReports   asks each live server what it serves
//   kRoot      reads the root tablet's record and has the root tablet served
//   kMetadata  reads the root tablet for METADATA's other tablets and has those served
//   kScan      reads METADATA page by page; when it ends, what nobody serves is assigned
//   kRunning
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Goes on with the start as far as what is known allows.
void Start(Turn* turn);

void OnDone(Turn* turn, const action::ReadTables& asked, const event::Done& done);
void OnDone(Turn* turn, const action::ReadRoot& asked, const event::Done& done);
// Also of rows that were doubted.
void OnDone(Turn* turn, const action::ReadRecords& asked, const event::Done& done);
// Also of a table that is being created.
void OnDone(Turn* turn, const action::CreateRecord& asked, const event::Done& done);

}  // namespace sippar::cluster::master
