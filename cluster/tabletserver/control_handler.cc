// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/control_handler.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cluster/api/call_traces.h"
#include "cluster/api/host_figures.h"
#include "engine/base/tablet_scope.h"
#include "engine/model/schema_change.h"
#include "engine/tablet/writes_held.h"

namespace sippar::cluster {
namespace {

// A flush misses its own file when a master that takes this server for dead has swept it. The
// caller is to look the tablet up again, and would take kNotFound for a missing table.
Status TabletMayHaveMoved(const Status& status) {
  const bool is_swept = status.code() == StatusCode::kNotFound;
  return is_swept ? Unavailable(std::string(MessageOf(status))) : status;
}

}  // namespace

Status ControlHandler::CheckMaster(uint64_t master_epoch) {
  uint64_t seen = master_epoch_.load();
  // Raises the highest epoch seen, unless another call has raised it to this one or higher.
  while (seen < master_epoch && !master_epoch_.compare_exchange_weak(seen, master_epoch)) {
  }
  if (seen > master_epoch) {
    return Aborted(fmt::format("the call is from an older master (epoch {}, the newest is {})",
                               master_epoch, seen));
  }
  return OkStatus();
}

StatusOr<std::shared_ptr<Served>> ControlHandler::Find(uint64_t tablet_id) const {
  std::shared_ptr<Served> served = parts_->served->FindId(tablet_id);
  if (served == nullptr)
    return Unavailable(
        fmt::format("server {} does not serve tablet {}", parts_->id.ToString(), tablet_id));
  return served;
}

Status ControlHandler::Perform(const calls::LoadTablet& asked) {
  RETURN_IF_ERROR(CheckMaster(asked.master_epoch));
  return moves_->Load(asked.record, asked.table);
}

Status ControlHandler::Perform(const calls::UnloadTablet& asked) {
  RETURN_IF_ERROR(CheckMaster(asked.master_epoch));
  return moves_->Unload({asked.tablet_id, asked.tablet_epoch});
}

StatusOr<ServerReport> ControlHandler::Perform(const calls::Report& asked) {
  RETURN_IF_ERROR(CheckMaster(asked.master_epoch));
  ServerReport report;
  report.first_unpublished_file = parts_->host->FirstUnpublishedFile();
  report.leaves = moves_->leaves();
  report.wall_us = parts_->store.clock->NowMicros();
  report.lease_left_us = parts_->lease_left_us();
  for (const std::shared_ptr<Served>& served : parts_->served->All()) {
    ServedTablet& entry = report.tablets.emplace_back();
    entry.table_id = served->table_id;
    entry.range = served->tablet->range();
    entry.tablet_id = served->tablet->id();
    entry.tablet_epoch = served->tablet_epoch;
    entry.stored_bytes = served->tablet->stored_bytes();
    entry.memtable_bytes = static_cast<uint64_t>(served->tablet->memtable_bytes());
    entry.schema_version = served->schema_version;
    // If the answer is lost, so are these counts: the load then looks too low once, which is
    // harmless.
    entry.reads = served->reads.exchange(0);
    entry.writes = served->writes.exchange(0);
  }
  return report;
}

Status ControlHandler::Perform(const calls::SetSchema& asked) {
  RETURN_IF_ERROR(CheckMaster(asked.master_epoch));
  const TableRecord& table = asked.table;
  auto schema = std::make_shared<const engine::TableSchema>(table.schema);
  engine::MutexLock lock(&schema_mutex_);
  for (;;) {
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Served>> tablets,
                     parts_->served->OfTable(table.table_id, table.schema_version));
    std::erase_if(tablets, [&](const std::shared_ptr<Served>& served) {
      return served->schema_version >= table.schema_version;
    });
    if (tablets.empty()) return OkStatus();
    // Then lists the tablets again, to see that none is left. If one was split before the loop
    // reached it, this call fails with kNotFound, and the master repeats it.
    for (const auto& served : tablets) RETURN_IF_ERROR(ChangeSchema(table, schema, served.get()));
  }
}

Status ControlHandler::ChangeSchema(const TableRecord& table,
                                    const std::shared_ptr<const engine::TableSchema>& schema,
                                    Served* served) {
  const engine::TabletScope scope(served->tablet->id());
  // Excludes splits and unloads: they copy the tablet's state, and a copy that was made before
  // TabletFamilies::Prepare would lack what Prepare records.
  RETURN_IF_ERROR(parts_->served->BeginSchemaChange(*served));
  std::optional<engine::WritesHeld> held;
  // Each write must clearly belong to the old family or to the new one, and each delete to the time
  // of the old GC rule or of the new one.
  if (engine::NeedsWritesHeld(*served->tablet->schema(), *schema)) {
    held.emplace(std::vector<std::shared_ptr<engine::Tablet>>{served->tablet});
  }
  Status prepared = served->tablet->families().Prepare(*schema);
  if (prepared.ok()) {
    served->tablet->families().SetSchema(schema);
    served->schema_version = table.schema_version;
  }
  // Allows writes again before another call may close the tablet.
  held.reset();
  parts_->served->EndSchemaChange(*served);
  return prepared;
}

Status ControlHandler::Perform(const calls::SplitTablet& asked) {
  const engine::TabletScope scope(asked.tablet_id);
  RETURN_IF_ERROR(CheckMaster(asked.master_epoch));
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(asked.tablet_id));
  return TabletMayHaveMoved(splitter_->Split(served, asked.row));
}

Status ControlHandler::Perform(const calls::SplitByLoad& asked) {
  const engine::TabletScope scope(asked.tablet_id);
  RETURN_IF_ERROR(CheckMaster(asked.master_epoch));
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(asked.tablet_id));
  std::optional<std::string> row = served->sample.MiddleRow(served->tablet->range().start);
  if (row.has_value()) return TabletMayHaveMoved(splitter_->Split(served, *row));
  return FailedPrecondition(fmt::format(
      "tablet {}: no row divides its load in halves (most calls go to one row); it stays whole",
      asked.tablet_id));
}

Status ControlHandler::Perform(const calls::SortLogPart& asked) {
  RETURN_IF_ERROR(CheckMaster(asked.master_epoch));
  return moves_->SortLogPart(asked.dead, asked.segment);
}

StatusOr<std::vector<uint64_t>> ControlHandler::Perform(const calls::HeldFiles& asked) {
  return parts_->host->context()->files->HeldOf(asked.files);
}

Status ControlHandler::Perform(const calls::ForgetBirths& asked) {
  const engine::TabletScope scope(asked.tablet_id);
  RETURN_IF_ERROR(CheckMaster(asked.master_epoch));
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(asked.tablet_id));
  // Excludes schema changes, which record new births. (A birth of a family is a sequence number:
  // cells below it belong to a dropped family of the same name.)
  engine::MutexLock lock(&schema_mutex_);
  return served->tablet->families().ForgetBirths();
}

Status ControlHandler::Perform(const calls::FlushTablet& asked) {
  const engine::TabletScope scope(asked.tablet_id);
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(asked.tablet_id));
  return TabletMayHaveMoved(served->tablet->Flush());
}

Status ControlHandler::Perform(const calls::CompactTablet& asked) {
  const engine::TabletScope scope(asked.tablet_id);
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(asked.tablet_id));
  Status status = served->tablet->CompactMajor(asked.group);
  // IsMoved: the tablet was split or unloaded during the compaction; the caller looks it up again.
  if (engine::IsMoved(status)) return Unavailable(std::string(MessageOf(status)));
  return TabletMayHaveMoved(status);
}

Status ControlHandler::Perform(const calls::VerifyTablet& asked) {
  const engine::TabletScope scope(asked.tablet_id);
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(asked.tablet_id));
  return served->tablet->VerifyFiles();
}

StatusOr<std::vector<GroupStats>> ControlHandler::Perform(const calls::TabletStats& asked) {
  const engine::TabletScope scope(asked.tablet_id);
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(asked.tablet_id));
  return served->tablet->Stats();
}

// The reply ends after this many figures, each a group's or a family's: a thousand tablets of
// schemas with the most families would not fit into a frame.
StatusOr<calls::BatchTabletStats::Reply> ControlHandler::Perform(
    const calls::BatchTabletStats& asked) {
  constexpr size_t kFiguresMax = 100'000;
  const size_t count = std::min(asked.tablet_ids.size(), calls::BatchTabletStats::kTabletsMax);
  calls::BatchTabletStats::Reply reply;
  size_t figures = 0;
  for (size_t i = 0; i < count && figures < kFiguresMax; ++i) {
    const engine::TabletScope scope(asked.tablet_ids[i]);
    auto& part = reply.emplace_back();
    const std::shared_ptr<Served> served = parts_->served->FindId(asked.tablet_ids[i]);
    if (served == nullptr) continue;
    part = served->tablet->Stats();
    for (const GroupStats& group : *part) figures += 1 + group.families.size();
  }
  return reply;
}

StatusOr<std::string> ControlHandler::Perform(const calls::DumpTablet& asked) {
  const engine::TabletScope scope(asked.tablet_id);
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(asked.tablet_id));
  return served->tablet->Dump();
}

StatusOr<std::map<std::string, uint64_t>> ControlHandler::Perform(const calls::Metrics&) {
  return MetricsOf(parts_->host);
}

StatusOr<std::vector<CompactionInfo>> ControlHandler::Perform(const calls::Compactions&) {
  return CompactionsOf(*parts_->host);
}

StatusOr<std::vector<CallTraceInfo>> ControlHandler::Perform(const calls::Traces& asked) {
  return CallTraces::OfProcess()->List(asked.table);
}

StatusOr<std::vector<HotTablet>> ControlHandler::Perform(const calls::HotTablets& asked) {
  return parts_->host->hot_tablets().List(asked.start_us, asked.end_us);
}

}  // namespace sippar::cluster
