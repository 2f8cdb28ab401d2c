// The parts of make_cluster.h that carry lock files. Internal to cluster/node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cluster/node/make_cluster.h"

namespace sippar::cluster {

// nullopt: the cluster is complete, and its store is the one that is asked for.
struct MakingStep {
  std::optional<Making> making;
  DirectoryLook look;
};
[[nodiscard]] StatusOr<MakingStep> NextMaking(const ClusterPlan& plan, LockSession* session);

// Carries the lock files of a store of one process to the cluster, or finishes that.
[[nodiscard]] StatusOr<bool> CarryStore(const ClusterPlan& plan);

// Content of the lock service's file `store`; the second while the cluster is being collapsed.
std::string StoreText(const std::string& directory);
std::string CollapsingText(const std::string& directory);
// kFailedPrecondition: `store`, the content of that file, names another directory, or a collapse.
[[nodiscard]] Status CheckStore(const ClusterPlan& plan, const std::string& store);
// Completes the cluster. False: another program was first, with the same directory.
[[nodiscard]] StatusOr<bool> TellStore(const ClusterPlan& plan, LockSession* session);

}  // namespace sippar::cluster
