// Implements AdminApi through sippar.v1.Store, under the rules of remote_data.h. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "cluster/api/admin_api.h"
#include "cluster/wire/store_connection.h"

namespace sippar::cluster {

class RemoteAdmin final : public AdminApi {
 public:
  explicit RemoteAdmin(std::shared_ptr<StoreConnection> connection)
      : connection_(std::move(connection)) {}

  void Carry(const AnyCall& call, const CallOptions& options) override;

 private:
  const std::shared_ptr<StoreConnection> connection_;
};

}  // namespace sippar::cluster
