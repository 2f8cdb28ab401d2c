// A row that ends each server that loads its tablet (tests/FAULTS.md P19).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <csignal>

#include "cluster/api/crash_note.h"
#include "cluster/api/store_paths.h"
#include "tests/sim/workloads/cluster.h"

namespace sippar::sim {
namespace {

using cluster::TabletRecord;

// Limit of servers that the row may end without other faults before its tablet is set aside.
constexpr uint64_t kKillsMax = 12;

bool IsSetAside(const TabletRecord& record) {
  return record.suspicion && record.suspicion->set_aside &&
         record.phase == cluster::TabletPhase::kUnassigned;
}

}  // namespace

// Draws a row of the clients' table, which is still the only table.
void Cluster::DrawDeadlyRow() {
  while (deadly_table_ == 0) {
    (void)supervisor_->metadata->Scan(cluster::kMetadataTableId + 1, UINT64_MAX - 1,
                                      [&](const TabletRecord& record) {
                                        deadly_table_ = record.table_id;
                                        return false;
                                      });
  }
  deadly_row_ = knobs_.rows[world_->random()->Uniform(knobs_.rows.size())];
}

bool Cluster::IsDeadly(const TabletRecord& record) const {
  return deadly_row_ && record.table_id == deadly_table_ && record.range.Contains(*deadly_row_);
}

void Cluster::AfterLoad(MachineId id, const TabletRecord& record) {
  if (!IsDeadly(record)) return;
  ++deadly_kills_;
  NoteCrash(id, record.server, record.tablet_id);
  Stop(id, /*power_lost=*/false);
}

// Notes the crash, as the handler of `sippar serve` does. This may fail, like every other write.
void Cluster::NoteCrash(MachineId id, const cluster::ServerId& life, uint64_t tablet_id) {
  const std::string log = cluster::store_paths::Log("/db", life);
  std::array<char, cluster::kCrashNoteSizeMax> room;
  const Status noted =
      engine::ReplaceFile(world_->disk()->Of(id), cluster::store_paths::CrashNote(log),
                          cluster::EncodeCrashNote({SIGSEGV, tablet_id}, &room));
  world_->scheduler()->Note(fmt::format("loaded the deadly row; note: {}", MessageOf(noted)));
}

// Returns OK if the tablet with the deadly row is set aside and one row of each other tablet of its
// table can be read.
Status Cluster::OthersServed() {
  std::vector<TabletRecord> others;
  bool is_aside = false;
  RETURN_IF_ERROR(
      supervisor_->metadata->Scan(deadly_table_, deadly_table_, [&](TabletRecord record) {
        const bool is_deadly = IsDeadly(record);
        is_aside = is_aside || (is_deadly && IsSetAside(record));
        if (!is_deadly) others.push_back(std::move(record));
        return true;
      }));
  if (!is_aside) return Unavailable("the tablet with the deadly row is not set aside");
  for (const TabletRecord& record : others) {
    engine::ReadSpec read;
    const std::string& row = record.range.start.empty() ? "\1" : record.range.start;
    read.rows = engine::RowSet(engine::RowRange::Single(row));
    ASSIGN_OR_RETURN(std::unique_ptr<cluster::CellStream> cells,
                     supervisor_->data->Read("t", read, {}));
    while (cells->Valid()) cells->Next();
    RETURN_IF_ERROR(cells->status());
  }
  return OkStatus();
}

// Restarts every server, so that the tablet is loaded again. Afterwards its row does no more harm.
void Cluster::CheckOthersServed() {
  for (auto& [id, machine] : machines_) {
    if (IsServer(id) && machine.up) Stop(id, /*power_lost=*/false);
  }
  const uint64_t killed = deadly_kills_;
  const int64_t limit_us = world_->NowMicros() + kServedAgainMicros;
  Status status = Unavailable("not looked at");
  while (!status.ok() && world_->NowMicros() < limit_us) {
    WakeMachines(/*all=*/false);
    status = OthersServed();
    if (!status.ok()) world_->SleepMicros(20'000);
  }
  if (status.ok() && deadly_kills_ - killed > kKillsMax) {
    status = Internal(fmt::format("the deadly row has ended {} servers", deadly_kills_ - killed));
  }
  if (!status.ok()) {
    world_->scheduler()->Fail(fmt::format("with a deadly row: {}", status.ToString()));
  }
  deadly_row_.reset();
}

void Cluster::LetBackAll() {
  std::vector<std::string> rows;
  (void)supervisor_->metadata->Scan(cluster::kMetadataTableId + 1, UINT64_MAX - 1,
                                    [&](const TabletRecord& record) {
                                      if (IsSetAside(record)) rows.push_back(record.range.start);
                                      return true;
                                    });
  for (const std::string& row : rows) {
    for (MachineId master : addresses_.masters) {
      auto asked = OnMaster<bool>(master, [row](cluster::AdminApi* admin) -> StatusOr<bool> {
        RETURN_IF_ERROR(admin->Do(cluster::calls::LetBack{"t", row}));
        return true;
      });
      world_->scheduler()->Note(fmt::format("let back: {}", MessageOf(asked.status())));
      if (asked.ok()) break;
    }
  }
}

}  // namespace sippar::sim
