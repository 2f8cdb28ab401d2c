// DataApi over the tablets of a cluster: finds the tablets (location/locator.h), calls their
// servers, and retries where that is safe (retry_policy.h). The readers of METADATA use it, too.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
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
  // `transport`, `session` and `clock` must outlive the client.
  Transport* transport = nullptr;
  LockSession* session = nullptr;  // source of table ids, root tablet location and client id
  engine::Clock* clock = nullptr;
  RetryPolicy retry;
  int64_t timeout_us = 30'000'000;  // how long a call without its own timeout may keep failing
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

  void Carry(const AnyCall& call, const CallOptions& options) override {
    const CallTime time(caller_.settings().clock, options);
    if (Status in_time = time.Check(); !in_time.ok()) return Refuse(call, in_time);
    AnswerBy(call, [&](const auto& asked) { return Perform(asked, time); });
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table, const ReadSpec& read,
                                             const CallOptions& options) override;
  Status Run(const std::string& table, const RowRange& tablet_range, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override;
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const std::string& table,
                                                      const ChangesRequest& request,
                                                      const CallOptions& options) override;
  std::optional<uint64_t> BundleOf(const std::string& table, std::string_view row) override;

  uint64_t location_round_trips() const { return caller_.locator()->round_trips(); }

 private:
  ClusterData(const ClusterDataOptions& options, uint64_t client_id);

  using Updates = calls::UpdateRows<LentTable>;

  StatusOr<std::vector<Status>> Perform(const calls::ApplyRows<LentTable>& asked,
                                        const CallTime& time);
  StatusOr<Updates::Reply> Perform(const Updates& asked, const CallTime& time);
  Status Perform(const calls::CommitRow<LentTable>& asked, const CallTime& time);
  StatusOr<std::vector<TabletInfo>> Perform(const calls::ListTablets& asked, const CallTime& time);
  StatusOr<std::vector<RowRange>> Perform(const calls::TabletRanges& asked, const CallTime& time);

  // Calls the tablet of the update's row.
  Updates::Reply::value_type UpdateOne(const std::string& table, const engine::RowUpdate& update,
                                       Repeat repeat, const CallTime& time);
  Updates::Reply UpdateTogether(const Updates& asked, const CallTime& time);
  Status Commit(const calls::CommitRow<LentTable>& asked, Repeat repeat, const CallTime& time);

  Transport* const transport_;
  LockSession* const session_;
  const size_t parallel_calls_;
  mutable TabletCaller caller_;
  RequestNumbers numbers_;
  WriteGatherer gatherer_;
};

}  // namespace sippar::cluster
