// The parts of make_cluster.h that carry lock files. Internal to cluster/node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cluster/node/make_cluster.h"

namespace sippar::cluster {

// What an init has to do next. `making` is nullopt if the cluster is complete and has the store
// that is asked for.
struct MakingStep {
  std::optional<Making> making;
  DirectoryLook look;
};
[[nodiscard]] StatusOr<MakingStep> NextMaking(const ClusterPlan& plan, LockSession* session);

// The id that the lock service knows from now on: `wanted` if it knew none.
[[nodiscard]] StatusOr<std::string> ClaimId(LockSession* session, const std::string& wanted);

// Carries the lock files of a store of one process to the cluster's lock service, or finishes what
// a killed program began. False: another program has completed the cluster.
[[nodiscard]] StatusOr<bool> CarryStore(const ClusterPlan& plan);

// Content of the lock service's file `store`: of a complete cluster, of one that an init is making,
// and of one that is being collapsed. The last begins with what CollapsingText returns; then comes
// the target that the directory's TARGET names until the commit.
std::string StoreText(const std::string& directory);
std::string MakingText(const std::string& directory);
std::string CollapsingText(const std::string& directory);
// kFailedPrecondition: `store`, the content of that file, names another directory, or an init or a
// collapse that has not ended.
[[nodiscard]] Status CheckStore(const ClusterPlan& plan, const std::string& store);
// The first write of an init: from then on only one with the same directory goes on.
// kFailedPrecondition: the cluster has another directory, or another init has begun to make it.
[[nodiscard]] Status BeginStore(const ClusterPlan& plan, LockSession* session);
// Completes the cluster. False: another program was first, with the same directory.
[[nodiscard]] StatusOr<bool> TellStore(const ClusterPlan& plan, LockSession* session);

}  // namespace sippar::cluster
