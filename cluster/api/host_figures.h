// The figures that a server reports about its tablet host to administrators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "engine/store/tablet_host.h"

namespace sippar::cluster {

// The answers of one host to calls::Metrics and calls::Compactions.
std::map<std::string, uint64_t> MetricsOf(engine::TabletHost* host);
std::vector<CompactionInfo> CompactionsOf(const engine::TabletHost& host);

}  // namespace sippar::cluster
