// Reads a change stream through sippar.v1.Store. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/api/data_api.h"
#include "cluster/wire/store_connection.h"

namespace sippar::cluster {

// Returns the errors of DataApi::ReadChanges. A lost connection is reported here or by the stream.
[[nodiscard]] StatusOr<std::unique_ptr<ChangeStream>> OpenRemoteChanges(
    std::shared_ptr<StoreConnection> connection, const std::string& table,
    const ChangesRequest& wanted, const CallOptions& options);

}  // namespace sippar::cluster
