// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/kept_table_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sippar::cluster::master {
namespace {

constexpr size_t kKeptMax = 100;  // most kept tables; keeping another one deletes the oldest

// A master whose clock is doubted (wall_clock.h) lets no time pass. 0 stands for a table that was
// given up for another one.
bool IsOver(const MasterState& state, const Table& table) {
  if (table.kept_until_us == 0) return true;
  return table.kept_until_us <= state.wall_us && state.WhyClockDoubted().empty();
}

// Time of the drop of a kept table. While the drop is not written, only `next` has it, and `record`
// still has the time of an older change.
int64_t DropTime(const Table& table) {
  return (table.next != nullptr ? table.next : table.record)->changed_at_us;
}

// Returns the tables that can be restored, sorted by the time of the drop.
std::vector<Table*> Kept(MasterState* state) {
  std::vector<Table*> kept;
  for (auto& [id, table] : state->tables) {
    if (table.life == TableLife::kKept && !IsOver(*state, table)) kept.push_back(&table);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Table* a, const Table* b) { return DropTime(*a) < DropTime(*b); });
  return kept;
}

bool IsClosed(MasterState* state, uint64_t table_id) {
  std::vector<Tablet*> tablets = state->tablets.OfTable(table_id);
  return state->tablets.HolesOf(table_id).empty() &&
         std::none_of(tablets.begin(), tablets.end(), [](const Tablet* tablet) {
           return tablet->facts.phase == TabletPhase::kAssigned;
         });
}

}  // namespace

void KeepTable(Turn* turn, const event::DropTable& request, Table* table) {
  MasterState* state = turn->state;
  std::vector<Table*> kept = Kept(state);
  // RunKept deletes a table whose time has passed.
  if (kept.size() >= kKeptMax) kept.front()->kept_until_us = 0;
  TableRecord record = *table->record;
  record.changed_at_us = request.wall_us;
  table->next = std::make_shared<const TableRecord>(std::move(record));
  table->life = TableLife::kKept;
  table->kept_until_us = request.kept_until_us;
  RunKept(turn, table);
}

void RunKept(Turn* turn, Table* table) {
  MasterState* state = turn->state;
  if (table->attempt.Waits(turn->now_us) || state->stage != StartStage::kRunning) return;
  if (table->file_life != TableLife::kKept) {
    return turn->Ask(&table->attempt, action::WriteTable{table->next, TableLife::kKept,
                                                         table->version, table->kept_until_us});
  }
  // A drop is answered only when no server serves the table any more.
  if (table->request != 0 && IsClosed(state, table->record->table_id)) {
    turn->Reply(table->request, OkStatus());
    table->request = 0;
  }
  if (IsOver(*state, *table)) table->life = TableLife::kDropping;
}

void OnEvent(Turn* turn, const event::UndeleteTable& request) {
  Table* table = nullptr;
  // Kept sorts the tables by the time of their drop, so the last match is the table that was
  // dropped last.
  for (Table* kept : Kept(turn->state)) {
    if (kept->record->schema.name == request.table) table = kept;
  }
  Status status;
  if (table == nullptr) {
    status = NotFound(fmt::format(
        "no dropped table '{}' is kept: it was never dropped, or the time to keep it has passed",
        request.table));
  } else if (turn->state->FindTable(request.table) != nullptr) {
    status = AlreadyExists(fmt::format("table {} already exists", request.table));
  } else if (table->request != 0 || table->file_life != TableLife::kKept) {
    status = Aborted(fmt::format("table {} is being dropped; try again", request.table));
  }
  if (!status.ok()) return turn->Reply(request.request, std::move(status));
  table->life = TableLife::kLive;
  table->request = request.request;
  table->creates = false;
  table->requested_us = turn->now_us;
}

}  // namespace sippar::cluster::master
