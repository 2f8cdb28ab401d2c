// DataApi over one server's store: routes rows to tablets, turns api types into engine types. No
// storage logic of its own. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/api/data_api.h"
#include "engine/store/store.h"

namespace sippar::cluster {

class DataHandler final : public DataApi {
 public:
  // `store` and `clock` outlive the handler. `server` is the name shown by Tablets().
  DataHandler(engine::Store* store, engine::Clock* clock, std::string server)
      : store_(store), clock_(clock), server_(std::move(server)) {}

  Status Apply(const std::string& table, const RowMutation& mutation) override;
  std::vector<Status> ApplyBatch(const std::string& table,
                                 const std::vector<RowMutation>& batch) override;
  StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table, const ReadSpec& read,
                                             const CallOptions& options) override;
  Status Run(const std::string& table, const RowRange& tablet_range, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override;
  StatusOr<engine::RowUpdateResult> Update(const std::string& table,
                                           const engine::RowUpdate& update) override;
  Status CommitRow(const std::string& table, const RowMutation& mutation,
                   const std::vector<ReadCheck>& checks) override;
  StatusOr<std::vector<TabletInfo>> Tablets(const std::string& table) override;
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const std::string& table,
                                                      const ChangesRequest& request,
                                                      const CallOptions& options) override;

 private:
  engine::Store* store_;
  engine::Clock* clock_;
  std::string server_;
};

}  // namespace sippar::cluster
