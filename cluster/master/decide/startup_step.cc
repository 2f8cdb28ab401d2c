// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/startup_step.h"

#include <algorithm>

#include "cluster/master/decide/create_table_step.h"
#include "cluster/master/decide/tablet_step.h"

namespace sippar::cluster::master {
namespace {

const TabletKey kFirstKey = TabletKey::Before(kMetadataTableId, "");
const TabletKey kLastMetadataKey = {kMetadataTableId, ""};
const TabletKey kLastKey = {UINT64_MAX, ""};

Tablet* RootTablet(MasterState* state) {
  auto first = state->tablets.all().begin();
  bool found = first != state->tablets.all().end() && first->first.table_id == kMetadataTableId &&
               first->second.facts.range.start.empty();
  return found ? &first->second : nullptr;
}

bool AllReported(const MasterState& state) {
  return std::all_of(state.servers.begin(), state.servers.end(), [](const auto& entry) {
    const Server& server = entry.second;
    // A server that does not answer does not delay the start: METADATA shows which tablets it has.
    return !server.live || server.reported || server.asking.failures > 0;
  });
}

bool MetadataIsServed(MasterState* state) {
  std::vector<Tablet*> tablets = state->tablets.OfTable(kMetadataTableId);
  return state->tablets.HolesOf(kMetadataTableId).empty() &&
         std::all_of(tablets.begin(), tablets.end(),
                     [](const Tablet* tablet) { return tablet->loaded; });
}

void Create(Turn* turn, RowRange range) {
  TabletFacts facts;
  facts.table_id = kMetadataTableId;
  facts.range = std::move(range);
  facts.tablet_id = turn->state->NewId();
  facts.tablet_epoch = 1;
  turn->Ask(&turn->state->starting, action::CreateRecord{std::move(facts)});
}

void Read(Turn* turn, TabletKey after, TabletKey last) {
  turn->Ask(&turn->state->starting,
            action::ReadRecords{std::move(after), std::move(last), turn->state->options.scan_page});
}

void Enter(Turn* turn, StartStage stage) {
  MasterState* state = turn->state;
  state->stage = stage;
  state->starting = Attempt();
  state->scanned_to = kLastMetadataKey;
  if (stage != StartStage::kRunning) return Start(turn);
  for (auto& [id, server] : state->servers) {
    server.served_at_start.clear();
    // Asks each server again: since its report it may have unloaded tablets at the request of an
    // older master.
    server.next_ask_us = 0;
  }
  // From now on user tablets may be assigned, too (MayTouch in tablet_step.cc).
  for (const auto& [key, tablet] : state->tablets.all()) LookAgain(turn, tablet);
  for (const auto& [id, table] : state->tables) {
    if (!table.IsWhole()) continue;
    for (const RowRange& rows : state->tablets.HolesOf(id)) Doubt(turn, id, rows);
  }
}

// After the root tablet is served, reads which other METADATA tablets it names, and waits until all
// of them are served.
void StartMetadata(Turn* turn) {
  MasterState* state = turn->state;
  const Tablet* root = RootTablet(state);
  if (root == nullptr || !root->loaded) return;
  if (state->scanned_to == kLastKey) {
    if (state->tablets.HolesOf(kMetadataTableId).empty()) {
      if (MetadataIsServed(state)) Enter(turn, StartStage::kScan);
    } else if (state->tablets.OfTable(kMetadataTableId).size() == 1) {
      Create(turn, {root->facts.range.limit, ""});  // a new cluster
    } else {
      Read(turn, root->facts.key(), kLastMetadataKey);
    }
    return;
  }
  Read(turn, root->facts.key(), kLastMetadataKey);
}

// True if the known tablets leave no gap in the rows of `hole`.
bool IsCovered(TabletMap* tablets, const Hole& hole) {
  std::string row = hole.rows.start;
  for (const Tablet* tablet : tablets->Overlapping(hole.table_id, hole.rows)) {
    if (tablet->facts.range.start > row) return false;
    row = tablet->facts.range.limit;
    if (row.empty()) return true;
  }
  return !hole.rows.limit.empty() && row >= hole.rows.limit;
}

// Handles the answer for rows that were marked by Doubt: if METADATA has tablets for all of them,
// the doubt is settled; otherwise they are read again after a wait.
void EndHole(Turn* turn, const Hole& hole, const action::ReadRecords& asked,
             const event::Done& done) {
  MasterState* state = turn->state;
  const auto* page = std::get_if<RecordPage>(&done.answer);
  if (done.status.ok() && page != nullptr) {
    TabletKey last =
        page->complete || page->records.empty() ? asked.last : page->records.back().key();
    LearnRange(turn, done.op, asked.after, last, page->records);
    if (!page->complete && !page->records.empty()) {
      return Doubt(turn, hole.table_id, {last.limit, hole.rows.limit});  // the rest is read next
    }
    const bool covered = page->complete && IsCovered(&state->tablets, hole);
    const Table* table = state->FindTable(hole.table_id);
    // A table that is being created or deleted may have holes.
    if (hole.table_id != kMetadataTableId && (table == nullptr || !table->IsWhole())) return;
    if (covered) return;
  }
  Doubt(turn, hole.table_id, hole.rows);
  // Keeps the number of failures, so that the wait grows.
  Hole& again = state->holes[{hole.table_id, hole.rows.limit}];
  again.attempt.failures = hole.attempt.failures;
  turn->Failed(&again.attempt);
}

void EndPage(Turn* turn, const action::ReadRecords& asked, const event::Done& done) {
  MasterState* state = turn->state;
  const auto* page = std::get_if<RecordPage>(&done.answer);
  if (!done.status.ok() || page == nullptr) return turn->Failed(&state->starting);
  state->starting = Attempt();
  TabletKey last =
      page->complete || page->records.empty() ? asked.last : page->records.back().key();
  LearnRange(turn, done.op, asked.after, last, page->records);
  if (state->stage == StartStage::kMetadata) {
    if (page->complete) state->scanned_to = kLastKey;
  } else if (!page->complete) {
    state->scanned_to = last;
  } else {
    Enter(turn, StartStage::kRunning);
  }
}

}  // namespace

void Start(Turn* turn) {
  MasterState* state = turn->state;
  if (state->stage == state->options.last_stage || state->starting.Waits(turn->now_us)) return;
  switch (state->stage) {
    case StartStage::kServers:
      if (!state->tables_known && !state->reading_tables.Waits(turn->now_us)) {
        turn->Ask(&state->reading_tables, action::ReadTables{});
      }
      if (state->tables_known && state->servers_known) Enter(turn, StartStage::kReports);
      break;
    case StartStage::kReports:
      if (AllReported(*state)) Enter(turn, StartStage::kRoot);
      break;
    case StartStage::kRoot:
      if (const Tablet* root = RootTablet(state); root == nullptr) {
        turn->Ask(&state->starting, action::ReadRoot{});
      } else if (root->loaded) {
        Enter(turn, StartStage::kMetadata);
      }
      break;
    case StartStage::kMetadata:
      StartMetadata(turn);
      break;
    case StartStage::kScan:
      Read(turn, state->scanned_to, kLastKey);
      break;
    case StartStage::kRunning:
      break;
  }
}

void OnDone(Turn* turn, const action::ReadTables&, const event::Done& done) {
  MasterState* state = turn->state;
  if (state->reading_tables.op != done.op) return;
  const auto* files = std::get_if<std::vector<TableFile>>(&done.answer);
  if (!done.status.ok() || files == nullptr) return turn->Failed(&state->reading_tables);
  state->reading_tables = Attempt();
  state->tables_known = true;
  for (const TableFile& file : *files) {
    Table& table = state->tables[file.table.table_id];
    table.record = std::make_shared<const TableRecord>(file.table);
    table.version = file.version;
    // A creation that an older master did not finish is undone, because the administrator got no OK
    // for it.
    table.life = file.life == TableLife::kCreating ? TableLife::kDropping : file.life;
    table.file_life = file.life;
    table.kept_until_us = file.kept_until_us;
  }
  Start(turn);
}

void OnDone(Turn* turn, const action::ReadRoot&, const event::Done& done) {
  MasterState* state = turn->state;
  if (state->starting.op != done.op) return;
  state->starting = Attempt();
  const auto* page = std::get_if<RecordPage>(&done.answer);
  if (done.status.code() == StatusCode::kNotFound) {
    Create(turn, {"", state->options.root_limit});
  } else if (!done.status.ok() || page == nullptr) {
    turn->Failed(&state->starting);
  } else {
    for (const TabletFacts& facts : page->records) Learn(turn, facts);
  }
}

void OnDone(Turn* turn, const action::ReadRecords& asked, const event::Done& done) {
  MasterState* state = turn->state;
  if (state->starting.op == done.op) return EndPage(turn, asked, done);
  for (auto it = state->holes.begin(); it != state->holes.end(); ++it) {
    if (it->second.attempt.op != done.op) continue;
    Hole hole = it->second;
    state->holes.erase(it);
    return EndHole(turn, hole, asked, done);
  }
}

void OnDone(Turn* turn, const action::CreateRecord& asked, const event::Done& done) {
  MasterState* state = turn->state;
  if (state->starting.op != done.op) return TabletCreated(turn, asked, done);
  state->starting = Attempt();
  if (done.status.ok()) {
    Learn(turn, asked.facts);
  } else if (done.status.code() == StatusCode::kAborted) {
    // METADATA has, or had, another record with this key, such as one that an older master added.
    // The scan starts again, so that the records are read.
    state->scanned_to = kLastMetadataKey;
  } else {
    turn->Failed(&state->starting);
  }
}

}  // namespace sippar::cluster::master
