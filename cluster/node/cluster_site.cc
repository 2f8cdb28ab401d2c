// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/cluster_site.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/node/bootstrap.h"
#include "cluster/node/target.h"
#include "engine/base/printable.h"
#include "engine/tablet/state_file.h"

namespace sippar::cluster {
namespace {

constexpr std::string_view kPosixScheme = "posix:";

StatusOr<std::string> DirectoryOf(const std::string& store) {
  if (!store.starts_with(kPosixScheme) || store.substr(kPosixScheme.size(), 1) != "/") {
    return InvalidArgument(fmt::format(
        "store '{}': not supported; use posix:DIR with the absolute path of a directory that all "
        "machines of the cluster see",
        engine::PrintableBytes(store)));
  }
  std::string directory = store.substr(kPosixScheme.size());
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return directory;
}

// A directory that one process alone has used has its lock service in it, whose epochs this
// cluster's would repeat.
Status RefuseEmbedded(engine::FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(bool has_locks, fs->Exists(store_paths::Locks(directory)));
  if (!has_locks) return OkStatus();
  return FailedPrecondition(
      fmt::format("store {}: it belongs to programs that open it as a directory (it has {}); give "
                  "the cluster an empty one",
                  directory, store_paths::Locks(directory)));
}

Status MakeDirectory(engine::FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(bool exists, fs->Exists(directory));
  if (exists) return OkStatus();
  RETURN_IF_ERROR(fs->CreateDir(directory));
  const size_t slash = directory.rfind('/');
  return fs->SyncDir(slash == 0 ? "/" : directory.substr(0, slash));
}

StatusOr<std::shared_ptr<LockService>> OpenLocks(const std::string& target,
                                                 const SiteOptions& options,
                                                 MissingCluster missing) {
  ASSIGN_OR_RETURN(Target place, ParseTarget(target));
  if (place.cluster.empty()) {
    return InvalidArgument(
        fmt::format("target {}: it names no cluster; use zk://HOST:PORT,HOST:PORT/NAME", target));
  }
  return LockServiceOf(place, options.secret_file, missing);
}

StatusOr<std::unique_ptr<SteadySession>> OpenSession(LockService* locks, const std::string& target,
                                                     const SiteOptions& options) {
  return SteadySession::Open(locks, {"client of " + target, options.session_us, options.clock});
}

Status NoCluster(const std::string& target) {
  return NotFound(fmt::format(
      "cluster {}: there is none; make it with `sippar admin init {} --store posix:DIR`", target,
      target));
}

}  // namespace

// The file that says where the store is comes last: a cluster that has it is complete.
StatusOr<bool> MakeClusterIn(LockService* locks, const std::string& target,
                             const std::string& store, const SiteOptions& options) {
  ASSIGN_OR_RETURN(std::string directory, DirectoryOf(store));
  ASSIGN_OR_RETURN(std::unique_ptr<SteadySession> session, OpenSession(locks, target, options));
  const std::string canonical = std::string(kPosixScheme) + directory;
  auto known = session->Read(lock_paths::Store(), Freshness::kConsistent);
  if (known.ok() && known->content != canonical) {
    return FailedPrecondition(
        fmt::format("cluster {}: its store is {}, not {}; a cluster keeps its "
                    "store",
                    target, engine::PrintableBytes(known->content), canonical));
  }
  if (!known.ok() && known.status().code() != StatusCode::kNotFound) return known.status();
  std::unique_ptr<engine::FileSystem> fs = FileSystemOf(directory);
  RETURN_IF_ERROR(RefuseEmbedded(fs.get(), directory));
  if (!known.ok()) RETURN_IF_ERROR(MakeDirectory(fs.get(), directory));
  RETURN_IF_ERROR(PrepareCluster(fs.get(), directory, session.get(),
                                 static_cast<uint64_t>(options.clock->NowMicros())));
  if (known.ok()) return false;
  Status made = session->Create(lock_paths::Store(), canonical, LockFileKind::kLasting).status();
  // Another program made the same cluster at the same time.
  if (made.code() == StatusCode::kAlreadyExists) return false;
  RETURN_IF_ERROR(made);
  return true;
}

StatusOr<bool> MakeCluster(const std::string& target, const std::string& store,
                           const SiteOptions& options) {
  RETURN_IF_ERROR(DirectoryOf(store).status());
  ASSIGN_OR_RETURN(std::shared_ptr<LockService> locks,
                   OpenLocks(target, options, MissingCluster::kMake));
  return MakeClusterIn(locks.get(), target, store, options);
}

StatusOr<std::unique_ptr<ClusterSite>> ClusterSite::Open(const std::string& target,
                                                         const SiteOptions& options) {
  ASSIGN_OR_RETURN(std::shared_ptr<LockService> locks,
                   OpenLocks(target, options, MissingCluster::kRefuse));
  return OpenIn(std::move(locks), target, options);
}

StatusOr<std::unique_ptr<ClusterSite>> ClusterSite::OpenIn(std::shared_ptr<LockService> locks,
                                                           const std::string& target,
                                                           const SiteOptions& options) {
  std::unique_ptr<ClusterSite> site(new ClusterSite(target, options));
  auto session = OpenSession(locks.get(), target, options);
  if (session.status().code() == StatusCode::kNotFound) return NoCluster(target);
  RETURN_IF_ERROR(Annotate(session.status(), "cluster " + target));
  site->locks_ = std::move(locks);
  site->session_ = *std::move(session);
  auto store = site->session_->Read(lock_paths::Store(), Freshness::kConsistent);
  if (store.status().code() == StatusCode::kNotFound) return NoCluster(target);
  RETURN_IF_ERROR(store.status());
  ASSIGN_OR_RETURN(site->directory_, DirectoryOf(store->content));
  ASSIGN_OR_RETURN(LockFile id,
                   site->session_->Read(lock_paths::ClusterId(), Freshness::kConsistent));
  site->id_ = std::move(id.content);
  auto stops = site->session_->Read(lock_paths::StopMark(), Freshness::kConsistent);
  if (stops.ok()) site->stops_ = stops->version;
  if (!stops.ok() && stops.status().code() != StatusCode::kNotFound) return stops.status();
  return site;
}

// A machine on which the directory is not mounted would otherwise begin one of its own.
StatusOr<std::unique_ptr<engine::FileSystem>> ClusterSite::OpenFiles() const {
  std::unique_ptr<engine::FileSystem> fs = FileSystemOf(directory_);
  auto found = ReadClusterId(fs.get(), directory_);
  if (found.status().code() == StatusCode::kNotFound) {
    return FailedPrecondition(
        fmt::format("store {}: {} is missing on this machine; mount the directory of cluster {}",
                    directory_, store_paths::ClusterId(directory_), target_));
  }
  RETURN_IF_ERROR(found.status());
  if (*found == id_) return fs;
  return FailedPrecondition(fmt::format(
      "store {}: it belongs to cluster '{}', and {} has the id '{}'; mount the directory "
      "of this cluster",
      directory_, engine::PrintableBytes(*found), target_, id_));
}

Status ClusterSite::AskToStop() {
  for (;;) {
    auto mark = session_->Read(lock_paths::StopMark(), Freshness::kConsistent);
    if (!mark.ok() && mark.status().code() != StatusCode::kNotFound) return mark.status();
    Status raised =
        mark.ok()
            ? session_->Write(lock_paths::StopMark(), "stop", mark->version).status()
            : session_->Create(lock_paths::StopMark(), "stop", LockFileKind::kLasting).status();
    // Another administrator has raised it meanwhile, perhaps before processes that run now began.
    const bool lost_race =
        raised.code() == StatusCode::kAborted || raised.code() == StatusCode::kAlreadyExists;
    if (!lost_race) return raised;
  }
}

bool ClusterSite::IsAskedToStop() {
  auto mark = session_->Read(lock_paths::StopMark(), Freshness::kCached);
  return mark.ok() && mark->version > stops_;
}

}  // namespace sippar::cluster
