// SELECT statements behind PrepareQuery and ExecuteQuery of the Cloud Bigtable API, see
// cluster/api/query_api.h. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cluster/api/query_api.h"
#include "cluster/client/client.h"

namespace sippar::query {

// `client` outlives it and its runs.
std::unique_ptr<cluster::QueryApi> NewQueryApi(cluster::Client* client);

}  // namespace sippar::query
