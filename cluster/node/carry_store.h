// The parts of make_cluster.h that carry lock files from a directory to a cluster's lock service.
// Internal to cluster/node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cluster/node/make_cluster.h"

namespace sippar::cluster {

// The next step of an init. `making` is nullopt if the cluster is complete and has the requested
// store.
struct MakingStep {
  std::optional<Making> making;
  DirectoryLook look;
};
[[nodiscard]] StatusOr<MakingStep> NextMaking(const ClusterPlan& plan, LockSession* session);

// Returns the id that the lock service knows after this call. If it knew none before, this call
// sets `wanted`.
[[nodiscard]] StatusOr<std::string> ClaimId(LockSession* session, const std::string& wanted);

// Carries the lock files of a store of one process to the cluster's lock service, or finishes what
// a killed program began. False: another program has completed the cluster.
[[nodiscard]] StatusOr<bool> CarryStore(const ClusterPlan& plan);

// kFailedPrecondition: `store`, the content of the lock service's file of this name, names another
// place, or an init or a collapse that has not ended.
[[nodiscard]] Status CheckStore(const ClusterPlan& plan, const std::string& store);
// Makes the first write of an init: after it, only an init with the same directory may continue.
// kFailedPrecondition: the cluster has another directory, or another init has begun to make the
// cluster.
[[nodiscard]] Status BeginStore(const ClusterPlan& plan, LockSession* session);
// Completes the cluster. False: another program with the same directory was faster.
[[nodiscard]] StatusOr<bool> TellStore(const ClusterPlan& plan, LockSession* session);

}  // namespace sippar::cluster
