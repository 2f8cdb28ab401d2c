// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/doctor.h"

#include <algorithm>

#include "cluster/node/file_proof.h"
#include "cluster/node/findings.h"
#include "cluster/node/looking_on.h"
#include "cluster/node/picture_proof.h"
#include "cluster/node/target.h"
#include "cluster/node/target_file.h"

namespace sippar::cluster {
namespace {

// Limit on the bytes of changes that the overlay keeps in memory. Most of these bytes are a second
// copy of the logs.
constexpr uint64_t kChangesMax = uint64_t{4} << 30;

Status ProveNames(engine::OverlayFileSystem* overlay, const std::string& directory,
                  EmbeddedLockService* locks, Findings* findings) {
  ASSIGN_OR_RETURN(std::unique_ptr<LocalCluster> cluster,
                   StartLookingOn(overlay, directory, locks));
  ASSIGN_OR_RETURN(std::set<ServerId> lives, cluster->Lives());
  uint64_t epoch_end = 0;
  for (const ServerId& life : lives) epoch_end = std::max(epoch_end, life.epoch + 1);
  ASSIGN_OR_RETURN(StorePicture picture, ProvePicture(overlay, directory, cluster->metadata(),
                                                      locks, epoch_end, findings));
  if (!picture.whole.ok()) findings->oddities.emplace_back(MessageOf(picture.whole));
  return OkStatus();
}

}  // namespace

Status ExamineStore(const std::string& directory,
                    const std::function<void(std::string_view line)>& print) {
  std::unique_ptr<engine::FileSystem> fs = FileSystemOf(directory);
  engine::OverlayFileSystem overlay(fs.get(), kChangesMax);
  RETURN_IF_ERROR(FindStoreOfOne(&overlay, directory, /*create_if_missing=*/false).status());
  RETURN_IF_ERROR(CheckDirectories(&overlay, directory));
  ASSIGN_OR_RETURN(std::unique_ptr<EmbeddedLockService> locks,
                   LockServiceOf(directory, &overlay, engine::Clock::System()));
  Findings findings;
  RETURN_IF_ERROR(ProveFiles(&overlay, directory, locks.get(), &findings));
  // METADATA can be read only if the files that ProveFiles checks are whole.
  Status names;
  if (findings.losses.empty()) names = ProveNames(&overlay, directory, locks.get(), &findings);
  for (const std::string& line : findings.losses) print(line);
  for (const std::string& line : findings.oddities) print(line);
  RETURN_IF_ERROR(names);
  return findings.Check(directory);
}

}  // namespace sippar::cluster
