// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/bootstrap.h"

#include <fmt/format.h>

#include "cluster/api/store_paths.h"
#include "cluster/lock/membership.h"
#include "engine/base/crash_point.h"
#include "engine/base/printable.h"
#include "engine/base/random.h"
#include "engine/store/store_files.h"
#include "engine/tablet/state_file.h"

namespace sippar::cluster {
namespace {

constexpr uint32_t kClusterMagic = 0x5372436c;

StatusOr<std::string> ClusterIdOf(engine::FileSystem* fs, const std::string& directory,
                                  uint64_t entropy) {
  auto id = ReadClusterId(fs, directory);
  if (id.status().code() != StatusCode::kNotFound) return id;
  std::string fresh = fmt::format("{:016x}", engine::Random(entropy).Next());
  RETURN_IF_ERROR(
      engine::WriteStateFile(fs, store_paths::ClusterId(directory), kClusterMagic, fresh));
  return fresh;
}

// A process that was killed may have left directory entries that are not durable yet, such as those
// of STORE, CLUSTER or a backup. This start has read these files and builds on them, so a power cut
// must not remove the entries afterwards. The first session writes into lock/ and makes the entries
// there durable.
Status KeepNames(engine::FileSystem* fs, const std::string& directory) {
  RETURN_IF_ERROR(fs->SyncDir(directory));
  const std::string backups = store_paths::Backups(directory);
  ASSIGN_OR_RETURN(bool exists, fs->Exists(backups));
  return exists ? fs->SyncDir(backups) : OkStatus();
}

// Refuses a directory of format 1, which has the file CATALOG, and one that an older program began
// to convert to format 2. CATALOG may be missing there, but among the backups lie manifests that
// the conversion wrote. Their numbers are at most UINT32_MAX; those of a master's backups are
// greater.
Status RefuseFormat1(engine::FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(bool has_catalog, fs->Exists(directory + "/CATALOG"));
  if (has_catalog) return engine::RefusedFormat1(directory);
  auto names = fs->List(store_paths::Backups(directory));
  if (names.status().code() == StatusCode::kNotFound) return OkStatus();
  RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    std::optional<uint64_t> number = store_paths::ParseBackup(name);
    if (number.has_value() && *number <= UINT32_MAX) return engine::RefusedFormat1(directory);
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::string> ReadClusterId(engine::FileSystem* fs, const std::string& directory) {
  auto id = engine::ReadStateFile(fs, store_paths::ClusterId(directory), kClusterMagic);
  if (id.status().code() != StatusCode::kDataLoss) return id;
  return DataLoss(fmt::format("{}; put it back from a copy", MessageOf(id.status())));
}

Status CheckMounted(engine::FileSystem* fs, const std::string& directory, const std::string& target,
                    const std::string& id) {
  auto found = ReadClusterId(fs, directory);
  if (found.status().code() == StatusCode::kNotFound) {
    return FailedPrecondition(
        fmt::format("store {}: {} is missing on this machine; mount the directory of cluster {}, "
                    "or, if it is mounted, put the file back from a copy",
                    directory, store_paths::ClusterId(directory), target));
  }
  RETURN_IF_ERROR(found.status());
  if (id.empty() || *found == id) return OkStatus();
  return FailedPrecondition(fmt::format(
      "store {0}: it belongs to cluster '{1}', and {2} has the id '{3}'; mount the directory of "
      "this cluster, or let `sippar admin doctor {2}` say what else may be wrong",
      directory, engine::PrintableBytes(*found), target, engine::PrintableBytes(id)));
}

std::string ClusterIdFile(const std::string& id) {
  return engine::EncodeStateFile(kClusterMagic, id);
}

// wal/ is made last. While it does not exist, there is no log and no server. So a lock service that
// does not know the cluster has lost nothing, and the id may be written into the lock service.
Status PrepareCluster(engine::FileSystem* fs, const std::string& directory, LockSession* session,
                      uint64_t entropy) {
  RETURN_IF_ERROR(RefuseFormat1(fs, directory));
  RETURN_IF_ERROR(KeepNames(fs, directory));
  ASSIGN_OR_RETURN(bool complete, fs->Exists(store_paths::Logs(directory)));
  ASSIGN_OR_RETURN(std::string id, ClusterIdOf(fs, directory, entropy));
  CRASH_POINT("bootstrap.after_id");
  RETURN_IF_ERROR(Annotate(JoinCluster(session, id, !complete), directory));
  if (complete) return OkStatus();
  CRASH_POINT("bootstrap.after_join");
  RETURN_IF_ERROR(fs->CreateDir(store_paths::Sstables(directory)));
  RETURN_IF_ERROR(fs->SyncDir(directory));
  RETURN_IF_ERROR(fs->CreateDir(store_paths::Logs(directory)));
  return fs->SyncDir(directory);
}

}  // namespace sippar::cluster
