// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/looking_on.h"

#include <fmt/format.h>

namespace sippar::cluster {
namespace {

using master::StartStage;

constexpr int64_t kReadMetadataUs = 60'000'000;
constexpr int64_t kLookUs = 100'000;  // time between two checks whether the start fails

StatusOr<std::unique_ptr<LocalCluster>> StartUpTo(StartStage last, engine::FileSystem* fs,
                                                  const std::string& directory,
                                                  EmbeddedLockService* locks) {
  LocalClusterOptions options;
  options.directory = directory;
  options.locks = locks;
  options.store.fs = fs;
  options.store.clock = engine::Clock::System();
  // Flushes are off: a flush would advance the redo point only in the overlay, and records that the
  // store has only in its log would then look as if they were in SSTables.
  options.store.background = false;
  options.policy.last_stage = last;
  options.policy.merges_max = 0;
  options.policy.erases_strangers = false;
  options.policy.sets_aside = false;
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
  return DeadlineExceeded(
      fmt::format("read METADATA: the store's tablets were not served within {} s; try again when "
                  "this machine is less busy",
                  kReadMetadataUs / 1'000'000));
}

}  // namespace

StatusOr<std::unique_ptr<LocalCluster>> StartMetadata(engine::FileSystem* fs,
                                                      const std::string& directory,
                                                      EmbeddedLockService* locks,
                                                      MetadataLevel level) {
  // The start ends at the stage after the one that waits until the tablets of this level are
  // served.
  const bool is_root = level == MetadataLevel::kRoot;
  return StartUpTo(is_root ? StartStage::kMetadata : StartStage::kScan, fs, directory, locks);
}

StatusOr<std::unique_ptr<LocalCluster>> StartLookingOn(engine::OverlayFileSystem* overlay,
                                                       const std::string& directory,
                                                       EmbeddedLockService* locks) {
  return StartUpTo(StartStage::kRunning, overlay, directory, locks);
}

}  // namespace sippar::cluster
