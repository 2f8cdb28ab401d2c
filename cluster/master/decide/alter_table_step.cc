// Schema changes, and what all changes of tables share: writing the table's file, sending the
// schema to servers, and answering the administrator.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/alter_table_step.h"

#include <fmt/format.h>

#include "cluster/master/decide/create_table_step.h"
#include "cluster/master/decide/delete_table_step.h"
#include "cluster/master/decide/kept_table_step.h"
#include "cluster/master/decide/tablet_step.h"
#include "engine/model/change_config.h"
#include "engine/model/schema_change.h"

namespace sippar::cluster::master {
namespace {

Status Check(const Table* table, const event::AlterTable& request) {
  const std::string& name = request.schema.name;
  if (table == nullptr) return NotFound(fmt::format("table {} not found", name));
  RETURN_IF_ERROR(request.schema.Validate());
  if (table->request != 0 || table->next != nullptr || table->life != TableLife::kLive) {
    return Aborted(fmt::format("table {} is being changed; try again", name));
  }
  if (table->record->schema_version != request.expected_version) {
    return Aborted(fmt::format(
        "table {} has schema version {}, not {}: it was altered since it was read; read it again",
        name, table->record->schema_version, request.expected_version));
  }
  return engine::CheckAlter(table->record->schema, request.schema);
}

// A family that is new, or was dropped and created again, gets the schema version as its
// incarnation, a number that no tablet has seen. So a tablet that is not loaded now also notices
// later that its data belongs to an earlier family of the same name.
void NumberNewFamilies(const TableSchema& before, uint64_t number, TableSchema* after) {
  for (engine::FamilySchema& family : after->families) {
    const engine::FamilySchema* old = before.FindFamily(family.name);
    if (old == nullptr || old->incarnation != family.incarnation) family.incarnation = number;
  }
}

void TellServers(Turn* turn, Table* table) {
  for (auto it = table->to_tell.begin(); it != table->to_tell.end();) {
    auto& [id, attempt] = *it;
    const Server* server = turn->state->FindServer(id);
    bool fenced =
        server == nullptr || (server->recovery && server->recovery->stage > RecoveryStage::kFence);
    if (fenced) {
      it = table->to_tell.erase(it);  // other servers load the tablets with the new schema
      continue;
    }
    if (server->live && !attempt.Waits(turn->now_us)) {
      turn->Ask(&attempt, action::SetSchema{id, table->record});
    }
    ++it;
  }
}

// A tablet that is set aside needs no new schema now; the server that loads it later gets it.
bool IsOld(const Tablet& tablet) {
  const bool rests = tablet.facts.set_aside && tablet.facts.phase == TabletPhase::kUnassigned;
  return !tablet.loaded && !rests;
}

bool IsServed(MasterState* state, Table* table) {
  const Tablet* last = state->tablets.Find(table->unserved);
  if (last != nullptr && IsOld(*last)) return false;
  for (const Tablet* tablet : state->tablets.OfTable(table->record->table_id)) {
    table->unserved = tablet->facts.key();
    if (IsOld(*tablet)) return false;
  }
  return true;
}

// Answers the request of a live table when all its tablets are served with the requested schema,
// but after answer_us at the latest. For a new table a late answer is OK, because no server can
// have an older schema of the table, unless the start of its change stream is not recorded yet. For
// an altered table a late answer is kUnavailable: a server may still use the old schema, and what
// it writes to a family that was dropped and created again is lost.
void Answer(Turn* turn, Table* table) {
  if (table->request == 0 || table->next != nullptr || table->file_life != TableLife::kLive) return;
  bool in_force = table->to_tell.empty() && IsServed(turn->state, table);
  bool late = turn->now_us - table->requested_us >= turn->state->options.answer_us;
  if (!in_force && !late) return;
  auto changes = engine::ChangeStreamOf(table->record->schema);
  bool begins = changes.has_value() && changes->since_us == 0;
  Status status =
      in_force || (table->creates && !begins)
          ? OkStatus()
          : Unavailable(fmt::format("table {}: the new schema is recorded, but not every tablet "
                                    "uses it yet; the master continues to distribute it",
                                    table->record->schema.name));
  turn->Reply(table->request, std::move(status));
  table->request = 0;
}

void RunAlteration(Turn* turn, Table* table) {
  bool returns = table->file_life == TableLife::kKept;
  if ((table->next != nullptr || returns) && !table->attempt.Waits(turn->now_us)) {
    turn->Ask(&table->attempt, action::WriteTable{returns ? table->record : table->next,
                                                  TableLife::kLive, table->version});
  }
  TellServers(turn, table);
  Answer(turn, table);
}

void Written(Turn* turn, const action::WriteTable& asked, Table* table) {
  MasterState* state = turn->state;
  ++table->version;
  table->file_life = asked.life;
  if (asked.life == TableLife::kCreating) return;
  bool altered = asked.life == TableLife::kLive && table->next != nullptr;
  if (asked.life == TableLife::kLive) table->life = TableLife::kLive;
  table->next = nullptr;
  table->record = asked.table;
  for (const Tablet* tablet : state->tablets.OfTable(table->record->table_id)) {
    LookAgain(turn, *tablet);
    if (altered && tablet->facts.phase == TabletPhase::kAssigned) {
      table->to_tell[tablet->facts.server];
    }
  }
}

// Cancels a change that was not written and would fail again: the schema is too large, or the disk
// is full.
void Cancel(Turn* turn, const Status& status, Table* table) {
  turn->Failed(&table->attempt);
  turn->Reply(table->request, status);
  table->request = 0;
  table->next = nullptr;
  table->life = table->file_life;
  if (table->version == 0) turn->state->tables.erase(table->record->table_id);
}

}  // namespace

void OnEvent(Turn* turn, const event::AlterTable& request) {
  Table* table = turn->state->FindTable(request.schema.name);
  if (Status status = Check(table, request); !status.ok()) {
    return turn->Reply(request.request, std::move(status));
  }
  TableRecord next = *table->record;
  next.schema = request.schema;
  ++next.schema_version;
  NumberNewFamilies(table->record->schema, next.schema_version, &next.schema);
  engine::NoteEarlierGc(table->record->schema, next.schema_version, &next.schema);
  next.changed_at_us = request.wall_us;
  table->next = std::make_shared<const TableRecord>(std::move(next));
  table->request = request.request;
  table->creates = false;
  table->requested_us = turn->now_us;
  RunAlteration(turn, table);
}

void RunTables(Turn* turn) {
  std::vector<uint64_t> ids;
  for (const auto& [id, table] : turn->state->tables) ids.push_back(id);
  for (uint64_t id : ids) {
    Table* table = turn->state->FindTable(id);
    switch (table->life) {
      case TableLife::kCreating:
        RunCreation(turn, table);
        break;
      case TableLife::kLive:
        RunAlteration(turn, table);
        break;
      case TableLife::kDropping:
        RunDeletion(turn, table);
        break;
      case TableLife::kKept:
        RunKept(turn, table);
        break;
    }
  }
}

void OnDone(Turn* turn, const action::WriteTable& asked, const event::Done& done) {
  Table* table = turn->state->FindTable(asked.table->table_id);
  if (table == nullptr || table->attempt.op != done.op) return;
  if (done.status.code() == StatusCode::kInvalidArgument ||
      HasCause(done.status, Cause::kDiskFull)) {
    return Cancel(turn, done.status, table);
  }
  if (!done.status.ok()) return turn->Failed(&table->attempt);
  table->attempt = Attempt();
  Written(turn, asked, table);
}

void OnDone(Turn* turn, const action::SetSchema& asked, const event::Done& done) {
  Table* table = turn->state->FindTable(asked.table->table_id);
  if (table == nullptr) return;
  auto told = table->to_tell.find(asked.server);
  if (told == table->to_tell.end() || told->second.op != done.op) return;
  if (!done.status.ok()) return turn->Failed(&told->second);
  table->to_tell.erase(told);
  if (asked.table != table->record) table->to_tell[asked.server];
}

}  // namespace sippar::cluster::master
