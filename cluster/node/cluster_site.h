// What all processes of a cluster of many machines share: its lock service, its id, and the
// directory of its files. A target zk://MEMBERS/NAME names it; the lock service says where the
// files are. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/lock/lock_service.h"
#include "cluster/lock/steady_session.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

struct SiteOptions {
  std::string secret_file;          // its first line is the cluster's secret in ZooKeeper; "": none
  int64_t session_us = 10'000'000;  // timeout of this process's sessions that hold no lock
  engine::Clock* clock = engine::Clock::System();
  // As in ZooKeeperOptions: how long the first session waits for a member of ZooKeeper.
  int64_t connect_us = 0;
  std::function<bool(const std::string& what)> may_wait = nullptr;
};

// Makes the cluster: its tree in the lock service, and its files below `store`, "posix:DIR" with an
// absolute path of a directory that all machines see. The directory is empty or missing, or a store
// that one process used alone, which becomes the cluster's with all that it has. Repeatable after a
// crash. Returns false, and has written nothing, if the cluster was there with this store.
// kFailedPrecondition: the cluster has another store, its directory is not mounted, or the
// directory holds something else. kUnavailable: a process has the store open. kInvalidArgument:
// `store` names no such directory.
[[nodiscard]] StatusOr<bool> MakeCluster(const std::string& target, const std::string& store,
                                         const SiteOptions& options);
// The same over a lock service that is open.
[[nodiscard]] StatusOr<bool> MakeClusterIn(LockService* locks, const std::string& target,
                                           const std::string& store, const SiteOptions& options);

// Takes the cluster back into its directory, which is a store of one process from then on.
// Repeatable after a crash. kFailedPrecondition: a member lives (named), or `directory` is not the
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
  // The same over a lock service that is open. `target` names the cluster in error messages.
  [[nodiscard]] static StatusOr<std::unique_ptr<ClusterSite>> OpenIn(
      std::shared_ptr<LockService> locks, const std::string& target, const SiteOptions& options);

  const std::string& target() const { return target_; }
  const std::string& id() const { return id_; }
  LockService* locks() { return locks_.get(); }
  // A session that holds no lock and is replaced when the service ends it (lock/steady_session.h).
  // Lives as long as this object.
  LockSession* session() { return session_.get(); }
  const SiteOptions& options() const { return options_; }
  const std::string& directory() const { return directory_; }
  // Content of the lock service's file `store` when this object was opened.
  const std::string& store() const { return store_; }
  // The file system with the directory. kFailedPrecondition: the directory that is mounted here
  // belongs to another cluster, or is none.
  [[nodiscard]] StatusOr<std::unique_ptr<engine::FileSystem>> OpenFiles() const;

  // Asks all processes of the cluster to end.
  [[nodiscard]] Status AskToStop();
  // True if AskToStop was called, by any process, since this object was opened: this process then
  // has to end. False if the lock service fails.
  bool IsAskedToStop();
  // Why this process no longer belongs to a cluster and has to end: the lock service has lost the
  // cluster, or says that it has another store now. OK: it belongs to it, or the lock service
  // fails.
  [[nodiscard]] Status CheckBelongs();

 private:
  explicit ClusterSite(std::string target, SiteOptions options)
      : target_(std::move(target)), options_(std::move(options)) {}

  const std::string target_;
  const SiteOptions options_;
  std::shared_ptr<LockService> locks_;
  std::unique_ptr<SteadySession> session_;
  std::string id_;
  std::string directory_;
  std::string store_;
  uint64_t stops_ = 0;  // version of the file `stop` when this object was opened
};

// The paths in a directory of the lock service whose locks are held: by live members, or, of a
// dead server, by the master that fences it. A dead member's file may stay for a while.
[[nodiscard]] StatusOr<std::vector<std::string>> HeldFiles(LockSession* session,
                                                           const std::string& directory);

}  // namespace sippar::cluster
