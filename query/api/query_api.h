// Implements cluster::QueryApi (cluster/api/query_api.h): the SELECT statements of PrepareQuery and
// ExecuteQuery of the Cloud Bigtable API.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cluster/api/query_api.h"
#include "cluster/client/client.h"

namespace sippar::query {

// `client` outlives the returned object and its runs.
std::unique_ptr<cluster::QueryApi> NewQueryApi(cluster::Client* client);

}  // namespace sippar::query
