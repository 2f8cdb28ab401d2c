// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/kill/walk_leftovers.h"

#include <algorithm>

#include "cluster/api/store_paths.h"
#include "cluster/node/doctor.h"
#include "cluster/node/looking_on.h"
#include "cluster/node/picture_proof.h"
#include "cluster/node/target.h"
#include "engine/fs/overlay_file_system.h"
#include "engine/tablet/file_registry.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kChangesMax = uint64_t{1} << 30;

// The files that METADATA and the backups name; does not change the store.
StatusOr<cluster::StorePicture> PictureOf(FileSystem* fs, const std::string& directory) {
  OverlayFileSystem overlay(fs, kChangesMax);
  ASSIGN_OR_RETURN(std::unique_ptr<cluster::EmbeddedLockService> locks,
                   cluster::LockServiceOf(directory, &overlay, Clock::System()));
  ASSIGN_OR_RETURN(std::unique_ptr<cluster::LocalCluster> roles,
                   cluster::StartLookingOn(&overlay, directory, locks.get()));
  ASSIGN_OR_RETURN(std::set<cluster::ServerId> lives, roles->Lives());
  uint64_t epoch_end = 0;
  for (const cluster::ServerId& life : lives) epoch_end = std::max(epoch_end, life.epoch + 1);
  cluster::Findings findings;
  ASSIGN_OR_RETURN(cluster::StorePicture picture,
                   cluster::ProvePicture(&overlay, directory, roles->metadata(), locks.get(),
                                         epoch_end, &findings));
  RETURN_IF_ERROR(picture.whole);
  return picture;
}

}  // namespace

StatusOr<std::set<std::string>> FindLeftovers(FileSystem* fs, const std::string& directory) {
  std::string found;
  RETURN_IF_ERROR(cluster::ExamineStore(
      directory, [&](std::string_view line) { found.append(line).append("\n"); }));
  if (!found.empty()) return DataLoss("the doctor finds: " + found);
  ASSIGN_OR_RETURN(cluster::StorePicture picture, PictureOf(fs, directory));
  std::set<std::string> leftovers;
  const std::string sst = cluster::store_paths::Sstables(directory);
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(sst));
  for (const std::string& name : names) {
    auto id = ParseSstableName(name);
    if (!id || !picture.files.contains(*id)) leftovers.insert(sst + "/" + name);
  }
  const std::string logs = cluster::store_paths::Logs(directory);
  ASSIGN_OR_RETURN(names, fs->List(logs));
  for (const std::string& name : names) leftovers.insert(logs + "/" + name);
  return leftovers;
}

}  // namespace sippar::engine
