// Implements DataApi through sippar.v1.Store. Makes each call once; a caller that retries writes
// must give them request ids (cluster/PROTOCOL.md). After kUnavailable the caller checks whether
// the connection is lost, and with it this object. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/wire/store_connection.h"

namespace sippar::cluster {

class RemoteData final : public DataApi {
 public:
  explicit RemoteData(std::shared_ptr<StoreConnection> connection)
      : connection_(std::move(connection)) {}

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
  StatusOr<std::vector<RowRange>> TabletRanges(const std::string& table) override;
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const std::string& table,
                                                      const ChangesRequest& wanted,
                                                      const CallOptions& options) override;

 private:
  const std::shared_ptr<StoreConnection> connection_;  // streams share it
};

}  // namespace sippar::cluster
