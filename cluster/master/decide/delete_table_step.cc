// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/delete_table_step.h"

#include <fmt/format.h>

#include "cluster/master/decide/kept_table_step.h"
#include "engine/model/schema_change.h"

namespace sippar::cluster::master {

void OnEvent(Turn* turn, const event::DropTable& request) {
  Table* table = turn->state->FindTable(request.table);
  Status status;
  if (table == nullptr) {
    status = NotFound(fmt::format("table {} not found", request.table));
  } else if (table->request != 0 || table->life != TableLife::kLive) {
    status = Aborted(fmt::format("table {} is being changed; try again", request.table));
  } else {
    status = engine::CheckDrop(table->record->schema);
  }
  if (!status.ok()) return turn->Reply(request.request, std::move(status));
  table->request = request.request;
  table->requested_us = turn->now_us;
  table->to_tell.clear();
  if (request.kept_until_us > 0) return KeepTable(turn, request, table);
  table->life = TableLife::kDropping;
  RunDeletion(turn, table);
}

void RunDeletion(Turn* turn, Table* table) {
  MasterState* state = turn->state;
  // Before all of METADATA has been read, there may be unknown rows of the table, and the file must
  // remain as long as any row does.
  if (table->attempt.Waits(turn->now_us) || state->stage != StartStage::kRunning) return;
  if (table->file_life != TableLife::kDropping) {
    return turn->Ask(&table->attempt,
                     action::WriteTable{table->record, TableLife::kDropping, table->version});
  }
  if (state->tablets.HasTable(table->record->table_id)) return;
  turn->Ask(&table->attempt, action::RemoveTable{table->record->table_id, table->version});
}

void OnDone(Turn* turn, const action::RemoveTable& asked, const event::Done& done) {
  Table* table = turn->state->FindTable(asked.table_id);
  if (table == nullptr || table->attempt.op != done.op) return;
  if (!done.status.ok() && done.status.code() != StatusCode::kNotFound) {
    return turn->Failed(&table->attempt);
  }
  turn->Reply(table->request, OkStatus());
  turn->state->tables.erase(asked.table_id);
}

}  // namespace sippar::cluster::master
