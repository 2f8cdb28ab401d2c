// Chooses and requests the next action for each tablet, and handles the answers. learn_step.cc
// updates the tablets' states from METADATA.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/tablet_step.h"

#include <algorithm>

#include "cluster/master/decide/assign_plan.h"
#include "cluster/master/decide/death_blame.h"
#include "cluster/master/decide/merge_step.h"
#include "cluster/master/decide/recover_step.h"
#include "engine/base/seeded_bug.h"

namespace sippar::cluster::master {
namespace {

using action::ChangeRecord;
using action::EraseRecord;

// The start first gets METADATA's own tablets served, because the records of other tablets can only
// be changed through them. User tablets must wait until all of METADATA has been read: before that,
// a tablet may seem unserved only because its record or a report is missing.
bool MayTouch(MasterState* state, const Tablet& tablet) {
  if (tablet.facts.table_id == kMetadataTableId) return true;
  if (state->stage != StartStage::kRunning) return false;
  return state->options.erases_strangers || state->FindTable(tablet.facts.table_id) != nullptr;
}

// True if the table is deleted, was never completed, or is unknown: an older master may have
// written the row late, after the table's file was removed.
bool IsDropped(MasterState* state, const Tablet& tablet) {
  if (tablet.facts.table_id == kMetadataTableId) return false;
  const Table* table = state->FindTable(tablet.facts.table_id);
  return table == nullptr || table->file_life == TableLife::kDropping;
}

// True if the table was dropped but can be restored; until then no server serves its tablets.
bool IsKept(MasterState* state, const Tablet& tablet) {
  const Table* table = state->FindTable(tablet.facts.table_id);
  return table != nullptr && table->file_life == TableLife::kKept;
}

// True if the tablet may be placed: both the intended and the recorded state of its table are live.
// The two states differ after a drop is requested until it is recorded, and while a table is being
// restored.
bool IsComplete(MasterState* state, const Tablet& tablet) {
  if (tablet.facts.table_id == kMetadataTableId) return true;
  const Table* table = state->FindTable(tablet.facts.table_id);
  return table != nullptr && table->life == TableLife::kLive &&
         table->file_life == TableLife::kLive;
}

void Change(Turn* turn, Tablet* tablet, RecordChange change) {
  tablet->op = turn->Ask(ChangeRecord{tablet->facts.ref(), std::move(change)});
}

void Erase(Turn* turn, Tablet* tablet) { tablet->op = turn->Ask(EraseRecord{tablet->facts.ref()}); }

void Assign(Turn* turn, Tablet* tablet, const ServerId& server_id) {
  tablet->target = server_id;
  Change(turn, tablet, {RecordChangeKind::kAssign, server_id});
  turn->state->servers[server_id].promised[tablet->op] = tablet->weight;
}

void Load(Turn* turn, Tablet* tablet, Server* server) {
  // The limit does not apply to METADATA's tablets. A load of a user tablet reads METADATA, so if
  // METADATA's tablets waited for those loads, neither could proceed.
  if (server->loads >= turn->state->options.loads_max &&
      tablet->facts.table_id != kMetadataTableId) {
    server->waiting.insert(tablet->facts.tablet_id);
    return;
  }
  ++server->loads;
  // Remains null for METADATA: every server has its schema built in.
  std::shared_ptr<const TableRecord> record;
  if (const Table* table = turn->state->FindTable(tablet->facts.table_id)) record = table->record;
  tablet->op = turn->Ask(action::LoadTablet{server->id, tablet->facts.ref(), std::move(record)});
}

void Unload(Turn* turn, Tablet* tablet) {
  tablet->op = turn->Ask(action::UnloadTablet{tablet->facts.server, tablet->facts.ref()});
}

void Place(Turn* turn, Tablet* tablet) {
  if (tablet->held_by == 0 && IsComplete(turn->state, *tablet)) {
    turn->to_place.push_back(tablet->facts.tablet_id);
  }
}

void LookAtServed(Turn* turn, Tablet* tablet, Server* server) {
  bool dropped = IsDropped(turn->state, *tablet);
  bool kept = IsKept(turn->state, *tablet);
  bool moves = !tablet->target.IsNone() && tablet->target != server->id;
  if (tablet->closed && kept) {
    Change(turn, tablet, {RecordChangeKind::kRelease, server->id, 0});
  } else if (tablet->closed) {
    dropped ? Erase(turn, tablet) : Place(turn, tablet);
  } else if (dropped || kept || tablet->refused ||
             (tablet->loaded && (moves || tablet->wants_close))) {
    Unload(turn, tablet);
  } else if (!tablet->loaded) {
    Load(turn, tablet, server);
  }
}

void LookAtAssigned(Turn* turn, Tablet* tablet) {
  Server* server = &turn->state->servers[tablet->facts.server];
  server->id = tablet->facts.server;
  if (server->live) return LookAtServed(turn, tablet, server);
  StartRecovery(turn, server, /*by_force=*/false);
  // Changes the record only after the server's log was renamed (F2), because from then on the
  // server can acknowledge nothing more. A flush or split that the server commits before this
  // change is complete and is read with the record. A later flush or split fails, because this
  // change raises the record's epoch.
  if (server->recovery->stage > RecoveryStage::kRename) {
    RecordChange change{RecordChangeKind::kRecover, server->id};
    change.blame = BlameOf(*turn->state, *server, *tablet);
    change.wall_us = turn->state->wall_us;
    Change(turn, tablet, std::move(change));
  }
}

void LookAtRecovering(Turn* turn, Tablet* tablet) {
  Server* server = &turn->state->servers[tablet->facts.server];
  server->id = tablet->facts.server;
  StartRecovery(turn, server, /*by_force=*/false);
  if (server->recovery->stage != RecoveryStage::kReady) return;
  const auto& sequences = server->recovery->last_sequences;
  auto in_log = sequences.find(tablet->facts.tablet_id);
  uint64_t sequence = in_log == sequences.end() ? 0 : in_log->second;
  Change(turn, tablet, {RecordChangeKind::kPublish, server->id, sequence});
}

void LookAtUnassigned(Turn* turn, Tablet* tablet) {
  if (!tablet->facts.set_aside) return Place(turn, tablet);
  if (tablet->wants_back) Change(turn, tablet, {RecordChangeKind::kLetBack, ServerId()});
}

// Returns the tablet if it still waits for `op`; nullptr if it has other work by now.
Tablet* Answered(Tablet* tablet, uint64_t op) {
  if (tablet == nullptr || tablet->op != op) return nullptr;
  tablet->op = 0;
  return tablet;
}

void Fail(Turn* turn, Tablet* tablet, const Status& status) {
  tablet->error = std::string(MessageOf(status));
  tablet->not_before_us = turn->RetryAt(++tablet->failures);
  LookAgain(turn, *tablet);
}

// Any answer of the server ends its silence about the tablet, even an error such as "busy".
void NoteAnswer(Turn* turn, Server* server, uint64_t tablet_id, const Status& status) {
  if (server == nullptr || status.code() == StatusCode::kCancelled) return;
  if (!LacksAnswer(status)) {
    server->unanswered.erase(tablet_id);
  } else if (server->tablets.contains(tablet_id)) {
    server->unanswered.emplace(tablet_id, turn->now_us);
  }
}

// Returns the servers that may get tablets: those that answer, or all live ones if none answers,
// because a server that does not answer may only be slow. A new server has to answer once before it
// counts: it may be the next life of one that was removed for its silence. Servers that leave are
// left out because they refuse loads. Servers that an administrator has drained are chosen if there
// are no others.
std::vector<ServerLoad> ServersToLoad(const MasterState& state) {
  std::vector<ServerLoad> answering;
  std::vector<ServerLoad> living;
  std::vector<ServerLoad> drained;
  for (const auto& [id, server] : state.servers) {
    if (!server.live || server.leaves) continue;
    uint64_t weight = server.weight;
    for (const auto& [op, promised] : server.promised) weight += promised;
    bool answers = server.Answers() && server.unanswered.empty();
    (state.IsDrained(server) ? drained : answers ? answering : living).push_back({id, weight});
  }
  if (!answering.empty()) return answering;
  return living.empty() ? drained : living;
}

void LoadEnded(Turn* turn, Server* server) {
  if (server == nullptr) return;
  --server->loads;
  turn->freed.insert(server->id);
}

// Learns the record that now has the first row of `asked`. If its key differs, the tablet was
// split, merged or erased; then the other rows of `asked` are read again as well.
void LearnAnswer(Turn* turn, const RecordRef& asked, const event::Done& done) {
  const auto* page = std::get_if<RecordPage>(&done.answer);
  if (page == nullptr) return;
  bool same = false;
  for (const TabletFacts& facts : page->records) {
    same |= facts.key() == asked.key();
    Learn(turn, facts);
  }
  if (!same && turn->state->tablets.Find(asked.key()) != nullptr) {
    Doubt(turn, asked.table_id, asked.range);
  }
}

void EndChange(Turn* turn, const RecordRef& asked, const event::Done& done) {
  TabletMap& tablets = turn->state->tablets;
  Tablet* tablet = Answered(tablets.Find(asked.key()), done.op);
  if (tablet != nullptr && !done.status.ok()) {
    Fail(turn, tablet, done.status);  // if newer facts arrived, LearnAnswer resets the tablet
  } else if (tablet != nullptr) {
    tablet->target = ServerId();
    LookAgain(turn, *tablet);
  }
  LearnAnswer(turn, asked, done);
}

}  // namespace

void LookAtUnplaced(Turn* turn) {
  turn->state->dirty.merge(turn->state->unplaced);
  turn->state->unplaced.clear();
}

bool WakeWaiting(Turn* turn) {
  MasterState* state = turn->state;
  std::erase_if(turn->freed, [&](const ServerId& id) {
    Server* server = state->FindServer(id);
    if (server == nullptr || server->loads >= state->options.loads_max) return true;
    // Looks at as many tablets as may be loaded now. Some of them may not need a load any more, so
    // the caller repeats this until `loads_max` loads run or no tablet waits.
    for (size_t i = server->loads; i < state->options.loads_max && !server->waiting.empty(); ++i) {
      state->dirty.insert(server->waiting.extract(server->waiting.begin()));
    }
    return server->waiting.empty();
  });
  return !state->dirty.empty();
}

void SetLoaded(Turn* turn, Tablet* tablet) {
  tablet->loaded = true;
  tablet->unserved_us = 0;
  tablet->failures = 0;
  tablet->error.clear();
  tablet->refused_by = ServerId();
  tablet->learned_op = turn->state->next_op;
  LookAgain(turn, *tablet);
  const Tablet* left = turn->state->tablets.Previous(tablet->facts.key());
  if (left != nullptr && left->facts.phase == TabletPhase::kMerging) LookAgain(turn, *left);
}

void SetUnserved(Turn* turn, Tablet* tablet) {
  tablet->loaded = false;
  if (tablet->unserved_us == 0) tablet->unserved_us = turn->now_us;
}

void LookAt(Turn* turn, Tablet* tablet) {
  if (tablet->op != 0 || !MayTouch(turn->state, *tablet)) return;
  if (turn->now_us < tablet->not_before_us) {
    return turn->LookLater(tablet->facts.tablet_id, tablet->not_before_us);
  }
  TabletPhase phase = tablet->facts.phase;
  if (phase == TabletPhase::kAssigned) {
    LookAtAssigned(turn, tablet);
  } else if (phase == TabletPhase::kRecovering) {
    LookAtRecovering(turn, tablet);
  } else if (IsDropped(turn->state, *tablet)) {
    Erase(turn, tablet);
  } else if (phase == TabletPhase::kMerging) {
    LookAtMerging(turn, tablet);
  } else {
    LookAtUnassigned(turn, tablet);
  }
}

void PlaceTablets(Turn* turn) {
  MasterState* state = turn->state;
  std::vector<ServerLoad> loads = ServersToLoad(*state);
  std::vector<TabletToPlace> wanted;
  for (uint64_t tablet_id : turn->to_place) {
    Tablet* tablet = state->tablets.FindId(tablet_id);
    if (tablet == nullptr || tablet->op != 0) continue;
    const Server* target = state->FindServer(tablet->target);
    if (target != nullptr && target->live) {
      Assign(turn, tablet, ServerId(tablet->target));
    } else {
      wanted.push_back({tablet_id, tablet->weight, tablet->facts.table_id == kMetadataTableId,
                        tablet->refused_by});
    }
  }
  turn->to_place.clear();
  if (loads.empty()) {
    for (const TabletToPlace& tablet : wanted) state->unplaced.insert(tablet.tablet_id);
    return;
  }
  for (const Placement& placement : PlanAssignment(std::move(loads), std::move(wanted))) {
    Assign(turn, state->tablets.FindId(placement.tablet_id), placement.server);
  }
}

void OnDone(Turn* turn, const action::LoadTablet& asked, const event::Done& done) {
  MasterState* state = turn->state;
  Server* server = state->FindServer(asked.server);
  LoadEnded(turn, server);
  NoteAnswer(turn, server, asked.record.tablet_id, done.status);
  Tablet* tablet = Answered(state->tablets.Find(asked.record.key()), done.op);
  if (tablet == nullptr) return;
  LookAgain(turn, *tablet);
  if (tablet->facts.tablet_epoch != asked.record.epoch) return;
  if (!done.status.ok()) {
    // A refusal is final: this server will never serve this epoch. It may still serve an older
    // epoch, so it is told to unload before another server is asked. kAborted says nothing about
    // the tablet: the call was not sent, or the server knows a newer master.
    bool refused = !LacksOutcome(done.status) && done.status.code() != StatusCode::kAborted;
    if (refused) tablet->refused = true;
    if (refused) tablet->refused_by = asked.server;
    // The server and the master disagree about the tablet. A new report of the server resolves
    // this.
    if (refused && server != nullptr) server->next_ask_us = 0;
    // kAborted: METADATA may no longer have the record that this master knows.
    if (done.status.code() == StatusCode::kAborted) {
      Doubt(turn, tablet->facts.table_id, tablet->facts.range);
    }
    return Fail(turn, tablet, done.status);
  }
  SetLoaded(turn, tablet);
  Table* table = state->FindTable(asked.record.table_id);
  if (table != nullptr && asked.table != table->record) table->to_tell[asked.server];
}

void OnDone(Turn* turn, const action::UnloadTablet& asked, const event::Done& done) {
  MasterState* state = turn->state;
  NoteAnswer(turn, state->FindServer(asked.server), asked.record.tablet_id, done.status);
  Tablet* tablet = Answered(state->tablets.Find(asked.record.key()), done.op);
  if (tablet == nullptr) return;
  LookAgain(turn, *tablet);
  if (tablet->facts.tablet_epoch != asked.record.epoch) return;
  bool believed = SEEDED_BUG("lost-unload-believed") && LacksOutcome(done.status);
  if (done.status.ok() || believed) {
    tablet->closed = true;
    return SetUnserved(turn, tablet);
  }
  // A lost answer does not prove that the server closed the tablet. The record may name another
  // server only after the epoch is closed or the server is dead; otherwise two servers would serve
  // the tablet (tests/FAULTS.md P9).
  if (!LacksOutcome(done.status)) {
    SetUnserved(turn, tablet);
    tablet->target = ServerId();
    Doubt(turn, tablet->facts.table_id, tablet->facts.range);
  }
  Fail(turn, tablet, done.status);
}

void OnDone(Turn* turn, const action::ChangeRecord& asked, const event::Done& done) {
  if (Server* server = turn->state->FindServer(asked.change.server)) {
    server->promised.erase(done.op);
  }
  EndChange(turn, asked.record, done);
}

void OnDone(Turn* turn, const action::EraseRecord& asked, const event::Done& done) {
  EndChange(turn, asked.record, done);
  Tablet* tablet = turn->state->tablets.Find(asked.record.key());
  if (done.status.ok() && tablet != nullptr && tablet->facts.tablet_epoch == asked.record.epoch) {
    Forget(turn, asked.record.key());
  }
}

void ReadHoles(Turn* turn) {
  for (auto& [key, hole] : turn->state->holes) {
    if (hole.attempt.Waits(turn->now_us)) continue;
    turn->Ask(&hole.attempt, action::ReadRecords{TabletKey::Before(hole.table_id, hole.rows.start),
                                                 {hole.table_id, hole.rows.limit},
                                                 turn->state->options.scan_page});
  }
}

}  // namespace sippar::cluster::master
