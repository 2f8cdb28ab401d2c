// DataApi over the tablets of a cluster: finds the tablets (location/locator.h), calls their
// servers, and retries where that is safe (retry_policy.h). The readers of METADATA use it, too.
// Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/api/transport.h"
#include "cluster/client/request_numbers.h"
#include "cluster/client/tablet_caller.h"
#include "cluster/client/write_gatherer.h"
#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

struct ClusterDataOptions {
  Transport* transport = nullptr;  // this and the next two must outlive the client
  LockSession* session = nullptr;  // source of table ids, root tablet location and client id
  engine::Clock* clock = nullptr;
  RetryPolicy retry;
  int64_t timeout_us = 30'000'000;  // time without progress for calls that name no timeout
  size_t parallel_calls = 8;        // most calls of one batch in flight
  CancelFlag cancel = nullptr;      // set when the owner of the client ends
};

class ClusterData final : public DataApi {
 public:
  // If an answer can be lost, takes an epoch of the lock service as the client's id, so that no
  // two clients ever share one. The id marks the client's writes (cluster/PROTOCOL.md, "Request
  // ids").
  [[nodiscard]] static StatusOr<std::unique_ptr<ClusterData>> Open(
      const ClusterDataOptions& options);

  Status Apply(const std::string& table, const RowMutation& mutation) override;
  std::optional<uint64_t> LaneOf(const std::string& table, std::string_view row) override;
  std::vector<Status> ApplyBatch(const std::string& table,
                                 const std::vector<RowMutation>& batch) override;
  StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table, const ReadSpec& read,
                                             const CallOptions& options) override;
  Status Run(const std::string& table, const RowRange& tablet_range, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override;
  StatusOr<engine::RowUpdateResult> Update(const std::string& table,
                                           const engine::RowUpdate& update) override;
  std::vector<StatusOr<engine::RowUpdateResult>> UpdateBatch(
      const std::string& table, const std::vector<engine::RowUpdate>& batch) override;
  Status CommitRow(const std::string& table, const RowMutation& mutation,
                   const std::vector<ReadCheck>& checks) override;
  StatusOr<std::vector<TabletInfo>> Tablets(const std::string& table) override;
  StatusOr<std::vector<RowRange>> TabletRanges(const std::string& table) override;
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const std::string& table,
                                                      const ChangesRequest& request,
                                                      const CallOptions& options) override;

  uint64_t location_round_trips() const { return caller_.locator()->round_trips(); }

 private:
  ClusterData(const ClusterDataOptions& options, uint64_t client_id);

  Status ApplyOnce(const std::string& table, const RowMutation& mutation);
  StatusOr<LocationPtr> OneTablet(const std::string& table, const engine::RowSet& rows);

  Transport* const transport_;
  const size_t parallel_calls_;
  mutable TabletCaller caller_;
  RequestNumbers numbers_;
  WriteGatherer gatherer_;
};

}  // namespace sippar::cluster
