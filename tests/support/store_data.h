// A DataApi over HostedTables, for tests that need METADATA, or a table to compare with, without
// servers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/tabletserver/table_stream.h"
#include "tests/support/hosted_tables.h"

namespace sippar::cluster {

class StoreData final : public DataApi {
 public:
  // `store` and `clock` must outlive this object.
  StoreData(engine::HostedTables* store, engine::Clock* clock) : store_(store), clock_(clock) {}

  void Carry(const AnyCall& call, const CallOptions&) override {
    AnswerBy(call, [this](const auto& asked) { return Perform(asked); });
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table, const ReadSpec& read,
                                             const CallOptions& options) override {
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store_->Tablets(table));
    std::erase_if(tablets, [&](const auto& tablet) {
      return read.rows.Intersection(engine::RowSet(tablet->range())).IsEmpty();
    });
    if (read.reverse) std::reverse(tablets.begin(), tablets.end());
    return NewTableStream(std::move(tablets), read, options, clock_);
  }
  Status Run(const std::string& table, const RowRange& tablet_range, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override {
    ReadSpec read = program.read;
    read.rows = read.rows.Intersection(engine::RowSet(tablet_range));
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, Read(table, read, options));
    engine::RunLimits limits;
    limits.clock = clock_;
    return engine::RunProgram(program, cells.get(), limits, sink);
  }

 private:
  StatusOr<std::vector<Status>> Perform(const calls::ApplyRows<LentTable>& asked) {
    auto batch = asked.batch.values();
    return store_->Apply(*asked.to, {batch.begin(), batch.end()});
  }
  StatusOr<calls::UpdateRows<LentTable>::Reply> Perform(const calls::UpdateRows<LentTable>& asked) {
    calls::UpdateRows<LentTable>::Reply answers;
    for (const engine::RowUpdate* update : asked.batch.values()) {
      answers.push_back(store_->Update(*asked.to, *update));
    }
    return answers;
  }
  Status Perform(const calls::CommitRow<LentTable>& asked) {
    std::vector<engine::RowCheck> row_checks;
    for (const ReadCheck& check : *asked.checks) row_checks.push_back({check.read, check.digest});
    return store_->CommitRow(*asked.to, *asked.mutation, row_checks);
  }
  StatusOr<std::vector<TabletInfo>> Perform(const calls::ListTablets& asked) {
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets,
                     store_->Tablets(asked.table));
    std::vector<TabletInfo> infos;
    for (const auto& tablet : tablets) {
      TabletInfo& info = infos.emplace_back();
      info.tablet_id = tablet->id();
      info.range = tablet->range();
      info.state = "online";
    }
    return infos;
  }
  StatusOr<std::vector<RowRange>> Perform(const calls::TabletRanges& asked) {
    ASSIGN_OR_RETURN(std::vector<TabletInfo> infos, Perform(calls::ListTablets{asked.table}));
    std::vector<RowRange> ranges;
    for (TabletInfo& info : infos) ranges.push_back(std::move(info.range));
    return ranges;
  }

  engine::HostedTables* const store_;
  engine::Clock* const clock_;
};

}  // namespace sippar::cluster
