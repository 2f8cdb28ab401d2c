// Data handler. SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/data_handler.h"

#include <algorithm>

#include "cluster/client/change_course.h"
#include "cluster/tabletserver/table_stream.h"
#include "cluster/tabletserver/tablet_changes.h"

namespace sippar::cluster {

Status DataHandler::Apply(const std::string& table, const RowMutation& mutation) {
  return store_->Apply(table, {&mutation}).front();
}

std::vector<Status> DataHandler::ApplyBatch(const std::string& table,
                                            const std::vector<RowMutation>& batch) {
  std::vector<const RowMutation*> pointers;
  for (const RowMutation& mutation : batch) pointers.push_back(&mutation);
  return store_->Apply(table, pointers);
}

StatusOr<std::unique_ptr<CellStream>> DataHandler::Read(const std::string& table,
                                                        const ReadSpec& read,
                                                        const CallOptions& options) {
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store_->Tablets(table));
  std::erase_if(tablets, [&](const auto& tablet) {
    return read.rows.Intersection(engine::RowSet(tablet->range())).IsEmpty();
  });
  if (read.reverse) std::reverse(tablets.begin(), tablets.end());
  return NewTableStream(std::move(tablets), read, options, clock_);
}

Status DataHandler::Run(const std::string& table, const RowRange& tablet_range,
                        const engine::Program& program, const CallOptions& options,
                        engine::ProgramSink* sink) {
  ReadSpec read = program.read;
  read.rows = read.rows.Intersection(engine::RowSet(tablet_range));
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, Read(table, read, options));
  engine::RunLimits limits;
  limits.cancel = options.cancel.get();
  limits.clock = clock_;
  if (options.timeout_us > 0) {
    limits.deadline_nanos = clock_->MonotonicNanos() + options.timeout_us * 1000;
  }
  return engine::RunProgram(program, cells.get(), limits, sink);
}

StatusOr<engine::RowUpdateResult> DataHandler::Update(const std::string& table,
                                                      const engine::RowUpdate& update) {
  return store_->Update(table, update);
}

Status DataHandler::CommitRow(const std::string& table, const RowMutation& mutation,
                              const std::vector<ReadCheck>& checks) {
  std::vector<engine::RowCheck> row_checks;
  for (const ReadCheck& check : checks) row_checks.push_back({check.read, check.digest});
  return store_->CommitRow(table, mutation, row_checks);
}

StatusOr<std::vector<TabletInfo>> DataHandler::Tablets(const std::string& table) {
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store_->Tablets(table));
  std::vector<TabletInfo> infos;
  for (const auto& tablet : tablets) {
    TabletInfo& info = infos.emplace_back();
    info.tablet_id = tablet->id();
    info.range = tablet->range();
    info.server = server_;
    info.state = "online";
    for (const engine::GroupStats& stats : tablet->Stats()) {
      info.stored_bytes += stats.stored_bytes;
      info.memtable_bytes += stats.memtable_bytes;
      info.sstable_count += stats.sstables;
    }
  }
  return infos;
}

StatusOr<std::unique_ptr<ChangeStream>> DataHandler::ReadChanges(const std::string& table,
                                                                 const ChangesRequest& request,
                                                                 const CallOptions& options) {
  ChangeSources sources;
  sources.open = [=, this, cancel = options.cancel](
                     const ChangesRequest& wanted,
                     RowRange* rows) -> StatusOr<std::unique_ptr<ChangeStream>> {
    const std::string& row = wanted.partition.start;
    ASSIGN_OR_RETURN(std::shared_ptr<engine::Tablet> tablet, store_->FindTablet(table, row));
    *rows = tablet->range();
    auto is_here = [store = store_, table, row, tablet] {
      auto found = store->FindTablet(table, row);
      return found.ok() && *found == tablet;
    };
    return NewTabletChanges(std::move(tablet), std::move(is_here), clock_, wanted, cancel);
  };
  sources.ranges = [=, this] { return TabletRanges(table); };
  return NewChangeCourse(std::move(sources), request);
}

StatusOr<uint64_t> DigestCells(CellStream* stream) { return engine::DigestCells(stream); }

}  // namespace sippar::cluster
