// Checks the invariants of a cluster without faults (I5, I6).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/api/store_paths.h"
#include "cluster/location/tiling.h"
#include "tests/sim/workloads/cluster.h"

namespace sippar::sim {

using cluster::TabletRecord;

// Waits until every row can be written and read, METADATA tiles, and every tablet is assigned;
// fails after the time limit. Machines that end themselves are started again, as always.
void Cluster::CheckServedAgain(const char* after) {
  int64_t limit_us = world_->NowMicros() + kServedAgainMicros;
  Status status;
  while (world_->NowMicros() < limit_us) {
    WakeMachines(/*all=*/false);
    LetBackAll();
    if (clients_left_ == 0 && ServesAll(limit_us)) {
      status = CheckMetadata();
      if (status.ok()) return;
      world_->scheduler()->Note(status.ToString());
    }
    world_->SleepMicros(20'000);
  }
  // Explains why the rows are not served: METADATA shows if an acknowledged change was lost.
  if (status.ok()) status = CheckMetadata();
  world_->scheduler()->Fail(
      fmt::format("not served again within the bound after {}: {}", after, status.ToString()));
}

Status Cluster::CheckMetadata() {
  std::map<uint64_t, std::vector<TabletRecord>> tables;
  RETURN_IF_ERROR(supervisor_->metadata->Scan(0, UINT64_MAX - 1, [&](TabletRecord record) {
    tables[record.table_id].push_back(std::move(record));
    return true;
  }));
  if (tables.size() < 2) return NotFound("METADATA lacks a table");
  for (const auto& [table_id, records] : tables) {
    // The scan reads records at different moments, so they may not tile while tablets split and
    // merge.
    if (auto faults = cluster::CheckTiling(records); !faults.empty()) {
      return Unavailable(
          fmt::format("table {} does not tile at tablet {}", table_id, faults[0].tablet_id));
    }
    for (const TabletRecord& record : records) RETURN_IF_ERROR(CheckRecord(record));
  }
  return OkStatus();
}

// Checks that every file that the record names exists.
Status Cluster::CheckRecord(const TabletRecord& record) {
  if (record.phase != cluster::TabletPhase::kAssigned) {
    return Unavailable(fmt::format("tablet {} of table {} is not assigned (phase {}, change {})",
                                   record.tablet_id, record.table_id,
                                   static_cast<int>(record.phase), record.change));
  }
  engine::FileSystem* fs = world_->disk()->Of(0);
  std::vector<std::string> paths;
  for (uint64_t file : record.state.FileIds()) {
    paths.push_back(fmt::format("{}/{:016x}.sst", cluster::store_paths::Sstables("/db"), file));
  }
  for (const cluster::ServerId& dead : record.logs) {
    paths.push_back(cluster::store_paths::SealedLog("/db", dead));
  }
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(bool exists, fs->Exists(path));
    if (!exists) {
      return DataLoss(fmt::format("tablet {} needs {}, which is gone", record.tablet_id, path));
    }
  }
  return OkStatus();
}

}  // namespace sippar::sim
