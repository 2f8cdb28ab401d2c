// Decides from the facts that examine_cluster.h collects what is wrong with a cluster of many
// processes, why, and how to repair it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/node/cluster_facts.h"

namespace sippar::cluster {

struct ClusterFinding {
  // False: an administrator has chosen this state (balancing is off, or a server is drained), and
  // the finding is only a reminder of it.
  bool is_trouble = true;
  std::string about;    // subject: zookeeper, cluster, store, master, server or tablet
  std::string what;     // the object: "server ts1.5", "tablet t ['a' .. end)"
  std::string why;      // what is wrong with it, in one sentence
  std::string way_out;  // what to do
};

// Findings about ZooKeeper come first, those about single tablets last. Empty: nothing is wrong.
std::vector<ClusterFinding> FindingsOf(const ClusterFacts& facts);

}  // namespace sippar::cluster
