// The start of a master after it has taken the master lock and an epoch (paper section 5.2):
//
//   kServers   reads servers/ for the live servers, and tables/ for the schemas
//   kReports   asks each live server what it serves
//   kRoot      reads the root tablet's record and makes a server serve the root tablet
//   kMetadata  finds METADATA's other tablets in the root tablet and makes servers serve them
//   kScan      reads METADATA page by page; at its end, tablets without a server are assigned
//   kRunning   the start is complete
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {

// Continues the start as far as the answers so far allow.
void Start(Turn* turn);

void OnDone(Turn* turn, const action::ReadTables& asked, const event::Done& done);
void OnDone(Turn* turn, const action::ReadRoot& asked, const event::Done& done);
// Also handles records of rows that were marked by Doubt.
void OnDone(Turn* turn, const action::ReadRecords& asked, const event::Done& done);
// Also handles the answers for a table that is being created.
void OnDone(Turn* turn, const action::CreateRecord& asked, const event::Done& done);

}  // namespace sippar::cluster::master
