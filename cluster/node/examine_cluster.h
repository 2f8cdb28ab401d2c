// Collects what a program outside of a cluster can learn of it (cluster_facts.h), for `sippar admin
// doctor`. Reads only: in ZooKeeper it leaves nothing but a session that it closes.
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

// `target`: a cluster, zk://HOST:PORT/NAME; a directory whose TARGET names one; or the address of
// a member, of which only the master's view is asked. A member that does not answer is a fact and
// no error. kInvalidArgument: the target names nothing, or the certificates of the environment
// cannot be used; kNotFound: it is a directory that belongs to no cluster.
[[nodiscard]] StatusOr<ClusterFacts> ExamineCluster(const std::string& target,
                                                    const ExamineOptions& options);

}  // namespace sippar::cluster
