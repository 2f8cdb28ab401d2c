// A row that ends each server that loads its tablet (tests/FAULTS.md P19).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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

void Cluster::AfterLoad(MachineId id, const engine::RowRange& rows) {
  if (!deadly_row_ || !rows.Contains(*deadly_row_)) return;
  ++deadly_kills_;
  world_->scheduler()->Note("loaded the deadly row");
  Stop(id, /*power_lost=*/false);
}

// Returns OK if the tablet with the deadly row is set aside and one row of each other tablet can be
// read.
Status Cluster::OthersServed() {
  std::vector<TabletRecord> others;
  bool is_aside = false;
  RETURN_IF_ERROR(supervisor_->metadata->Scan(
      cluster::kMetadataTableId + 1, UINT64_MAX - 1, [&](TabletRecord record) {
        const bool is_deadly = record.range.Contains(*deadly_row_);
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
