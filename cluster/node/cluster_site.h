// What all processes of a cluster of many machines share: its lock service, its id, and the
// directory of its files. A target zk://MEMBERS/NAME names the cluster; the lock service records
// the directory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/lock/lock_service.h"
#include "cluster/lock/steady_session.h"
#include "cluster/node/target.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

struct SiteOptions {
  std::string secret_file;  // first line: the cluster's secret in ZooKeeper; "": none
  // True: the directory may lie on a mount that answers from caches (store_kind.h).
  bool allows_unsafe_store = false;
  int64_t session_us = 10'000'000;  // timeout of this process's sessions that hold no lock
  engine::Clock* clock = engine::Clock::System();
  // How long the first session waits for a member of ZooKeeper to answer, and the function that may
  // end this wait: see ZooKeeperOptions.
  int64_t connect_us = 0;
  std::function<bool(const std::string& what)> may_wait = nullptr;
};

// Makes the cluster: its tree in the lock service, and its files below `store`, the text of a
// StorePlace (target.h). The directory is empty or missing, or is a store that one process used
// alone; such a store becomes the cluster's with all its content. May be repeated after a crash.
// Returns false, and has written nothing, if the cluster existed with this store.
// kFailedPrecondition: the cluster has another store, its directory is not mounted, or the
// directory holds something else. kUnavailable: a process has the store open. kInvalidArgument:
// `store` is no text of a StorePlace, or `target` names no cluster.
[[nodiscard]] StatusOr<bool> MakeCluster(const std::string& target, const std::string& store,
                                         const SiteOptions& options);
// Like MakeCluster, but with a lock service that is already open.
[[nodiscard]] StatusOr<bool> MakeClusterIn(LockService* locks, const std::string& target,
                                           const std::string& store, const SiteOptions& options);

// Turns the cluster back into a store of one process, in its directory. May be repeated after a
// crash. kFailedPrecondition: a member lives (the message names it), or `directory` is not the
// cluster's. kNotFound: there is no such cluster.
[[nodiscard]] Status CollapseCluster(const std::string& target, const std::string& directory,
                                     const SiteOptions& options);

// Thread safe.
class ClusterSite {
 public:
  // kNotFound: there is no such cluster. kFailedPrecondition: an init or a collapse of it has not
  // ended.
  [[nodiscard]] static StatusOr<std::unique_ptr<ClusterSite>> Open(const std::string& target,
                                                                   const SiteOptions& options);
  // Like Open, but with a lock service that is already open. `target` names the cluster in error
  // messages.
  [[nodiscard]] static StatusOr<std::unique_ptr<ClusterSite>> OpenIn(
      std::shared_ptr<LockService> locks, const std::string& target, const SiteOptions& options);

  const std::string& target() const { return target_; }
  const std::string& id() const { return id_; }
  LockService* locks() { return locks_.get(); }
  // A session that holds no lock and is replaced when the service ends it (lock/steady_session.h).
  // Lives as long as this object.
  LockSession* session() { return session_.get(); }
  const SiteOptions& options() const { return options_; }
  const std::string& directory() const { return place_.directory; }
  // Content of the lock service's file `store` when this object was opened.
  const std::string& store() const { return store_; }
  // Returns the file system with the directory. kFailedPrecondition: the directory that is mounted
  // here belongs to another cluster, or to none, or the mount answers from caches.
  [[nodiscard]] StatusOr<std::unique_ptr<engine::FileSystem>> OpenFiles() const;

  // Asks all processes of the cluster to end.
  [[nodiscard]] Status AskToStop();
  // True if any process called AskToStop since this object was opened: this process then has to
  // end. False if the lock service fails.
  bool IsAskedToStop();
  // Returns why this process no longer belongs to a cluster and has to end: the lock service has
  // lost the cluster, or has another store for it now. OK: the process belongs to the cluster, or
  // the lock service fails.
  [[nodiscard]] Status CheckBelongs();

 private:
  explicit ClusterSite(std::string target, SiteOptions options)
      : target_(std::move(target)), options_(std::move(options)) {}

  const std::string target_;
  const SiteOptions options_;
  std::shared_ptr<LockService> locks_;
  std::unique_ptr<SteadySession> session_;
  std::string id_;
  StorePlace place_;
  std::string store_;
  uint64_t stops_ = 0;  // version of the file `stop` when this object was opened
};

// Returns the paths in a directory of the lock service whose locks are held by live members, or,
// for a dead server, by the master that fences it. A dead member's file may remain for a while.
[[nodiscard]] StatusOr<std::vector<std::string>> HeldFiles(LockSession* session,
                                                           const std::string& directory);

}  // namespace sippar::cluster
