// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/cluster_site.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/lock/lock_paths.h"
#include "cluster/node/bootstrap.h"
#include "cluster/node/make_cluster.h"
#include "cluster/node/store_file.h"
#include "cluster/node/store_kind.h"
#include "cluster/node/target.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

StatusOr<std::shared_ptr<LockService>> OpenLocks(const std::string& target,
                                                 const SiteOptions& options,
                                                 MissingCluster missing) {
  ASSIGN_OR_RETURN(Target place, ParseTarget(target));
  if (place.cluster.empty()) {
    return InvalidArgument(
        fmt::format("target {}: it names no cluster; use zk://HOST:PORT,HOST:PORT/NAME", target));
  }
  ZooKeeperOptions zookeeper;
  zookeeper.missing = missing;
  zookeeper.connect_us = options.connect_us;
  zookeeper.may_wait = options.may_wait;
  return LockServiceOf(place, options.secret_file, std::move(zookeeper));
}

StatusOr<std::unique_ptr<SteadySession>> OpenSession(LockService* locks, const std::string& target,
                                                     const SiteOptions& options) {
  return SteadySession::Open(locks, {"client of " + target, options.session_us, options.clock});
}

Status NoCluster(const std::string& target) {
  return NotFound(fmt::format(
      "cluster {0}: there is none; make it with `sippar admin init {0} --store posix:DIR`, or, if "
      "there was one, let `sippar admin doctor {0}` say the way back",
      target));
}

}  // namespace

StatusOr<bool> MakeClusterIn(LockService* locks, const std::string& target,
                             const std::string& store, const SiteOptions& options) {
  ASSIGN_OR_RETURN(StorePlace place, ParseStorePlace(store));
  std::unique_ptr<engine::FileSystem> fs = FileSystemOf(place);
  return MakeClusterOf({locks, fs.get(), target, place, options.session_us, options.clock,
                        options.allows_unsafe_store});
}

StatusOr<bool> MakeCluster(const std::string& target, const std::string& store,
                           const SiteOptions& options) {
  RETURN_IF_ERROR(ParseStorePlace(store).status());
  ASSIGN_OR_RETURN(std::shared_ptr<LockService> locks,
                   OpenLocks(target, options, MissingCluster::kMake));
  return MakeClusterIn(locks.get(), target, store, options);
}

Status CollapseCluster(const std::string& target, const std::string& directory,
                       const SiteOptions& options) {
  ASSIGN_OR_RETURN(StorePlace place, ParseStorePlace(PrintStorePlace({directory})));
  ASSIGN_OR_RETURN(std::shared_ptr<LockService> locks,
                   OpenLocks(target, options, MissingCluster::kRefuse));
  std::unique_ptr<engine::FileSystem> fs = FileSystemOf(place);
  Status collapsed =
      CollapseClusterOf({locks.get(), fs.get(), target, place, options.session_us, options.clock});
  return collapsed.code() == StatusCode::kNotFound ? NoCluster(target) : collapsed;
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
  auto place = PlaceOfComplete(store->content);
  RETURN_IF_ERROR(Annotate(place.status(), "cluster " + target));
  site->place_ = *std::move(place);
  site->store_ = store->content;
  ASSIGN_OR_RETURN(LockFile id,
                   site->session_->Read(lock_paths::ClusterId(), Freshness::kConsistent));
  site->id_ = std::move(id.content);
  auto stops = site->session_->Read(lock_paths::StopMark(), Freshness::kConsistent);
  if (stops.ok()) site->stops_ = stops->version;
  if (!stops.ok() && stops.status().code() != StatusCode::kNotFound) return stops.status();
  return site;
}

// Checks the id in the directory: on a machine where the shared directory is not mounted, a process
// would otherwise write files into a local directory of the same name.
StatusOr<std::unique_ptr<engine::FileSystem>> ClusterSite::OpenFiles() const {
  std::unique_ptr<engine::FileSystem> fs = FileSystemOf(place_);
  RETURN_IF_ERROR(CheckMounted(fs.get(), directory(), target_, id_));
  if (!options_.allows_unsafe_store) RETURN_IF_ERROR(RefuseCachingMount(fs.get(), directory()));
  return fs;
}

Status ClusterSite::AskToStop() {
  for (;;) {
    auto mark = session_->Read(lock_paths::StopMark(), Freshness::kConsistent);
    if (!mark.ok() && mark.status().code() != StatusCode::kNotFound) return mark.status();
    Status raised =
        mark.ok()
            ? session_->Write(lock_paths::StopMark(), "stop", mark->version).status()
            : session_->Create(lock_paths::StopMark(), "stop", LockFileKind::kLasting).status();
    // If another administrator has raised the version meanwhile, the loop raises it once more: a
    // process that started after the other administrator's rise does not notice that rise.
    const bool lost_race =
        raised.code() == StatusCode::kAborted || raised.code() == StatusCode::kAlreadyExists;
    if (!lost_race) return raised;
  }
}

bool ClusterSite::IsAskedToStop() {
  auto mark = session_->Read(lock_paths::StopMark(), Freshness::kCached);
  return mark.ok() && mark->version > stops_;
}

Status ClusterSite::CheckBelongs() {
  auto store = session_->Read(lock_paths::Store(), Freshness::kCached);
  if (store.status().code() == StatusCode::kNotFound) {
    return NotFound(
        fmt::format("cluster {}: the lock service does not know this cluster any more, so "
                    "this process ends; unless the cluster was collapsed, the data of the "
                    "lock service were wiped or replaced: `sippar admin doctor {}` says the "
                    "way back",
                    target_, directory()));
  }
  if (!store.ok() || store->content == store_) return OkStatus();
  return Aborted(
      fmt::format("cluster {}: its store is {} now, not {}; this process ends, start it "
                  "again",
                  target_, engine::PrintableBytes(store->content), store_));
}

StatusOr<std::vector<std::string>> HeldFiles(LockSession* session, const std::string& directory) {
  ASSIGN_OR_RETURN(std::vector<NamedLockFile> files, session->ReadDirectory(directory));
  std::vector<std::string> held;
  for (const auto& [name, file] : files) {
    if (file.holder != 0) held.push_back(fmt::format("{}/{}", directory, name));
  }
  return held;
}

}  // namespace sippar::cluster
