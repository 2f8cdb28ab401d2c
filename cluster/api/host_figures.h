// What a server says of itself to administrators. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "engine/store/tablet_host.h"

namespace sippar::cluster {

// As AdminApi::Metrics and Compactions.
std::map<std::string, uint64_t> MetricsOf(engine::TabletHost* host);
std::vector<CompactionInfo> CompactionsOf(const engine::TabletHost& host);

}  // namespace sippar::cluster
