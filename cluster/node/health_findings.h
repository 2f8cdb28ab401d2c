// The part of cluster_findings.h about what the master reports: servers, recoveries, orders, and
// each tablet that no server serves. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cluster/node/cluster_findings.h"

namespace sippar::cluster {

// Appends nothing if the master did not answer.
void AddHealthFindings(const ClusterFacts& facts, std::vector<ClusterFinding>* findings);

}  // namespace sippar::cluster
