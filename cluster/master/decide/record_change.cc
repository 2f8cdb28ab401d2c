// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/record_change.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/location/meta_row.h"

namespace sippar::cluster::master {
namespace {

Status Refuse(const TabletRecord& record, const char* wanted) {
  const bool is_aside = record.suspicion && record.suspicion->set_aside;
  return FailedPrecondition(
      fmt::format("tablet {} at epoch {}: it cannot be {} (found phase {}, "
                  "server {}, {})",
                  record.tablet_id, record.tablet_epoch, wanted, PhaseName(record.phase),
                  record.server.ToString(), is_aside ? "set aside" : "not set aside"));
}

void Release(TabletPhase phase, TabletRecord* record) {
  record->phase = phase;
  record->server = ServerId();
}

Status Publish(const RecordChange& change, TabletRecord* record) {
  if (record->phase != TabletPhase::kRecovering || record->server != change.server) {
    return Refuse(*record, "published");
  }
  auto& logs = record->logs;
  bool listed = std::find(logs.begin(), logs.end(), change.server) != logs.end();
  // The log is named only if it has records after the redo point and is not named already. So a
  // retry adds nothing, and neither does a tablet whose data is all flushed.
  if (change.log_sequence > record->state.redo_sequence && !listed) logs.push_back(change.server);
  Release(TabletPhase::kUnassigned, record);
  return OkStatus();
}

// Applies the blame for the death of the tablet's server.
void Judge(const RecordChange& change, TabletSuspicion* suspicion) {
  if (change.blame == Blame::kNone) return;
  auto& deaths = suspicion->deaths;
  std::erase_if(deaths, [&](const ServerDeath& death) {
    return change.wall_us - death.time_us >= kDeathsKeptUs;
  });
  deaths.push_back({change.server, change.wall_us});
  suspicion->set_aside = change.blame == Blame::kSetAside;
}

}  // namespace

Status ApplyChange(const RecordChange& change, TabletRecord* record) {
  bool assigned = record->phase == TabletPhase::kAssigned;
  if (!record->suspicion) record->suspicion.emplace();
  TabletSuspicion* suspicion = &*record->suspicion;
  switch (change.kind) {
    case RecordChangeKind::kAssign:
      if ((!assigned && record->phase != TabletPhase::kUnassigned) || suspicion->set_aside)
        return Refuse(*record, "assigned");
      record->phase = TabletPhase::kAssigned;
      record->server = change.server;
      break;
    case RecordChangeKind::kRecover:
      if (!assigned || record->server != change.server) return Refuse(*record, "recovered");
      record->phase = TabletPhase::kRecovering;
      Judge(change, suspicion);
      break;
    case RecordChangeKind::kPublish:
      RETURN_IF_ERROR(Publish(change, record));
      break;
    case RecordChangeKind::kStartMerge:
      if (!assigned) return Refuse(*record, "merged");
      Release(TabletPhase::kMerging, record);
      break;
    case RecordChangeKind::kCancelMerge:
      if (record->phase != TabletPhase::kMerging) return Refuse(*record, "taken out of its merge");
      Release(TabletPhase::kUnassigned, record);
      break;
    case RecordChangeKind::kRelease:
      if (!assigned || record->server != change.server) return Refuse(*record, "released");
      Release(TabletPhase::kUnassigned, record);
      break;
    case RecordChangeKind::kLetBack:
      if (!suspicion->set_aside) return Refuse(*record, "let back");
      *suspicion = TabletSuspicion();
      break;
  }
  ++record->tablet_epoch;
  return OkStatus();
}

}  // namespace sippar::cluster::master
