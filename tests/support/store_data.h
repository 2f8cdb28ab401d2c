// DataApi over an engine::Store: where a test wants METADATA, or a table to compare with, without
// servers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/tabletserver/table_stream.h"
#include "tests/support/store/store.h"

namespace sippar::cluster {

class StoreData final : public DataApi {
 public:
  // `store` and `clock` outlive it.
  StoreData(engine::Store* store, engine::Clock* clock) : store_(store), clock_(clock) {}

  Status Apply(const std::string& table, const RowMutation& mutation) override {
    return store_->Apply(table, {&mutation}).front();
  }
  std::vector<Status> ApplyBatch(const std::string& table,
                                 const std::vector<RowMutation>& batch) override {
    std::vector<const RowMutation*> pointers;
    for (const RowMutation& mutation : batch) pointers.push_back(&mutation);
    return store_->Apply(table, pointers);
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
  StatusOr<engine::RowUpdateResult> Update(const std::string& table,
                                           const engine::RowUpdate& update) override {
    return store_->Update(table, update);
  }
  Status CommitRow(const std::string& table, const RowMutation& mutation,
                   const std::vector<ReadCheck>& checks) override {
    std::vector<engine::RowCheck> row_checks;
    for (const ReadCheck& check : checks) row_checks.push_back({check.read, check.digest});
    return store_->CommitRow(table, mutation, row_checks);
  }
  StatusOr<std::vector<TabletInfo>> Tablets(const std::string& table) override {
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store_->Tablets(table));
    std::vector<TabletInfo> infos;
    for (const auto& tablet : tablets) {
      TabletInfo& info = infos.emplace_back();
      info.tablet_id = tablet->id();
      info.range = tablet->range();
      info.state = "online";
    }
    return infos;
  }

 private:
  engine::Store* const store_;
  engine::Clock* const clock_;
};

}  // namespace sippar::cluster
