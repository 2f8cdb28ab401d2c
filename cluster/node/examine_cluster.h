// Collects what a program outside of a cluster can learn about it (cluster_facts.h), for `sippar
// admin doctor`. Only reads: in ZooKeeper it makes nothing but sessions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cluster/node/cluster_facts.h"
#include "engine/base/status.h"

namespace sippar::cluster {

struct ExamineOptions {
  std::string secret_file;         // the cluster's secret in ZooKeeper; "": none
  int64_t connect_us = 5'000'000;  // how long to wait for ZooKeeper
  int64_t answer_us = 3'000'000;   // how long to wait for each member, and for the master
};

// `target`: a cluster, zk://HOST:PORT/NAME; a directory whose TARGET names a cluster; or the
// address of a member, which is asked only for the master's view. A member that does not answer is
// a fact and not an error. kInvalidArgument: the target names nothing, or the certificates named in
// the environment cannot be used; kNotFound: the target is a directory that belongs to no cluster.
[[nodiscard]] StatusOr<ClusterFacts> ExamineCluster(const std::string& target,
                                                    const ExamineOptions& options);

}  // namespace sippar::cluster
