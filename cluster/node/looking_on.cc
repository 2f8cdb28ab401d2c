// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/looking_on.h"

namespace sippar::cluster {
namespace {
constexpr int64_t kReadMetadataUs = 60'000'000;
constexpr int64_t kLookUs = 100'000;  // between two checks whether the start fails
}  // namespace

StatusOr<std::unique_ptr<LocalCluster>> StartLookingOn(engine::OverlayFileSystem* overlay,
                                                       const std::string& directory,
                                                       EmbeddedLockService* locks) {
  LocalClusterOptions options;
  options.directory = directory;
  options.locks = locks;
  options.store.fs = overlay;
  options.store.clock = engine::Clock::System();
  // No flushes: a redo point that advances only in the overlay would make records look as if they
  // were in SSTables.
  options.store.background = false;
  options.policy.merges_max = 0;
  options.policy.erases_strangers = false;
  options.loses_answers = false;
  ASSIGN_OR_RETURN(std::unique_ptr<LocalCluster> cluster, LocalCluster::Open(options));
  RETURN_IF_ERROR(cluster->StartServer("server"));
  RETURN_IF_ERROR(cluster->StartMaster("master"));
  for (int64_t waited_us = 0; waited_us < kReadMetadataUs; waited_us += kLookUs) {
    Status running = cluster->WaitForMaster(kLookUs);
    if (running.ok()) return cluster;
    Status failure = cluster->StartFailure();
    RETURN_IF_ERROR(Annotate(failure, "read METADATA"));
    if (running.code() != StatusCode::kDeadlineExceeded) return running;
  }
  return DeadlineExceeded("read METADATA: no answer in time");
}

}  // namespace sippar::cluster
