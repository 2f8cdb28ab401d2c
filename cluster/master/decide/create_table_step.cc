// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/create_table_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/master/decide/garbage_step.h"
#include "cluster/master/decide/tablet_step.h"
#include "engine/base/limits.h"

namespace sippar::cluster::master {
namespace {

constexpr size_t kCreationsMax = 256;  // most METADATA rows of one table written concurrently

Status CheckSplitKeys(const std::vector<std::string>& keys) {
  for (size_t i = 0; i < keys.size(); ++i) {
    RETURN_IF_ERROR(Annotate(engine::ValidateRowKey(keys[i]), "split key"));
    if (i > 0 && keys[i] <= keys[i - 1]) {
      return InvalidArgument(
          "split keys: each must be greater than the one before; sort them and name each once");
    }
  }
  return OkStatus();
}

Status Check(MasterState* state, const event::CreateTable& request) {
  if (state->stage != StartStage::kRunning) {
    return Unavailable("the master is starting and is still reading METADATA; try again");
  }
  RETURN_IF_ERROR(request.schema.Validate());
  RETURN_IF_ERROR(CheckSplitKeys(request.split_keys));
  if (state->FindTable(request.schema.name) != nullptr) {
    return AlreadyExists(fmt::format("table {} already exists", request.schema.name));
  }
  // Dropped tables that are kept do not count, so after a drop another table can always be created.
  auto kept = std::count_if(state->tables.begin(), state->tables.end(), [](const auto& entry) {
    return entry.second.life == TableLife::kKept;
  });
  size_t count = state->tables.size() - static_cast<size_t>(kept);
  if (count >= limits::kTablesMax) {
    return ResourceExhausted(
        fmt::format("the store has {} tables, which is the limit; drop one first", count));
  }
  return OkStatus();
}

void PlanRow(MasterState* state, Table* table, const RowRange& rows) {
  TabletFacts facts;
  facts.table_id = table->record->table_id;
  facts.range = rows;
  facts.tablet_id = state->NewId();
  facts.tablet_epoch = 1;
  table->unwritten[facts.key()] = {facts, Attempt()};
}

void PlanRows(MasterState* state, Table* table, const event::CreateTable& request) {
  for (const auto& tablet : request.states) {
    PlanRow(state, table, tablet->range);
    table->restored[{table->record->table_id, tablet->range.limit}] = tablet;
  }
  if (!request.states.empty()) return;
  std::string start;
  for (const std::string& key : request.split_keys)
    PlanRow(state, table, {std::exchange(start, key), key});
  PlanRow(state, table, {start, ""});
}

}  // namespace

void OnEvent(Turn* turn, const event::CreateTable& request) {
  MasterState* state = turn->state;
  if (Status status = Check(state, request); !status.ok()) {
    return turn->Reply(request.request, std::move(status));
  }
  TableRecord record;
  record.table_id = state->NewId();
  record.schema_version = kFirstSchemaVersion;
  record.changed_at_us = request.wall_us;
  record.schema = request.schema;
  // Later schema versions number new families and the ends of GC rules, so they must be higher than
  // every number that the tablets of a restored table have seen.
  for (engine::FamilySchema& family : record.schema.families) {
    record.schema_version = std::max<uint64_t>(record.schema_version, family.incarnation);
    if (request.states.empty()) family.earlier.clear();  // a new table had no other rules
    if (family.earlier.empty()) continue;
    record.schema_version =
        std::max<uint64_t>(record.schema_version, family.earlier.back().until_version);
  }
  Table& table = state->tables[record.table_id];
  table.record = std::make_shared<const TableRecord>(std::move(record));
  table.life = TableLife::kCreating;
  table.file_life = TableLife::kCreating;
  table.request = request.request;
  table.creates = true;
  table.requested_us = turn->now_us;
  PlanRows(state, &table, request);
  if (!table.restored.empty()) RestoreBegins(turn);
  RunCreation(turn, &table);
}

void RunCreation(Turn* turn, Table* table) {
  if (table->attempt.Waits(turn->now_us)) return;
  // The file is written first: it reserves the name, and a new master that finds the file as
  // kCreating removes all rows that were written.
  if (table->version == 0) {
    return turn->Ask(&table->attempt, action::WriteTable{table->record, TableLife::kCreating, 0});
  }
  size_t under_way = 0;
  for (const auto& [key, row] : table->unwritten) under_way += row.second.op != 0 ? 1 : 0;
  for (auto& [key, row] : table->unwritten) {
    if (under_way >= kCreationsMax) return;
    if (row.second.Waits(turn->now_us)) continue;
    auto restored = table->restored.find(key);
    turn->Ask(&row.second,
              action::CreateRecord{row.first,
                                   restored == table->restored.end() ? nullptr : restored->second});
    ++under_way;
  }
  if (table->unwritten.empty()) {
    turn->Ask(&table->attempt, action::WriteTable{table->record, TableLife::kLive, table->version});
  }
}

void TabletCreated(Turn* turn, const action::CreateRecord& asked, const event::Done& done) {
  Table* table = turn->state->FindTable(asked.facts.table_id);
  if (table == nullptr) return;
  auto row = table->unwritten.find(asked.facts.key());
  if (row == table->unwritten.end() || row->second.second.op != done.op) return;
  if (!done.status.ok()) return turn->Failed(&row->second.second);
  table->unwritten.erase(row);
  table->restored.erase(asked.facts.key());
  Learn(turn, asked.facts);
  if (table->life == TableLife::kCreating) RunCreation(turn, table);
}

}  // namespace sippar::cluster::master
