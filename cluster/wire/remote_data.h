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
  RemoteData(std::shared_ptr<StoreConnection> connection, engine::Clock* clock)
      : connection_(std::move(connection)), clock_(clock) {}

  void Carry(const AnyCall& any, const CallOptions& options) override;
  StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table, const ReadSpec& read,
                                             const CallOptions& options) override;
  Status Run(const std::string& table, const RowRange& tablet_range, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override;
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const std::string& table,
                                                      const ChangesRequest& wanted,
                                                      const CallOptions& options) override;

 private:
  // Sends the call as it is.
  template <class Call>
  Answer<Call> Send(const Call& call, const CallOptions& options);

  const std::shared_ptr<StoreConnection> connection_;  // streams share it
  engine::Clock* const clock_;
};

}  // namespace sippar::cluster
