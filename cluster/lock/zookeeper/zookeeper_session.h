// One session with ZooKeeper.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/lock/lock_service.h"
#include "cluster/lock/zookeeper/node_paths.h"
#include "cluster/lock/zookeeper/number_counter.h"
#include "cluster/lock/zookeeper/zookeeper_handle.h"
#include "cluster/lock/zookeeper/zookeeper_lock_service.h"
#include "engine/base/thread.h"

namespace sippar::cluster::zookeeper {

class ZooKeeperSession final : public LockSession {
 public:
  // Connects, makes the tree if there is none and `missing` allows it, and takes a new number as
  // the id of the session. The comment on OpenZooKeeper lists the errors of OpenSession.
  [[nodiscard]] static StatusOr<std::unique_ptr<ZooKeeperSession>> Open(
      const ZooKeeperHandle::Options& connection, const std::string& cluster,
      MissingCluster missing, int64_t tick_us, int64_t deadline_nanos,
      const SessionOptions& options);

  uint64_t id() const override { return id_; }
  StatusOr<int64_t> Heartbeat() override;
  StatusOr<uint64_t> Create(const std::string& path, const std::string& content,
                            LockFileKind kind) override;
  StatusOr<LockFile> Read(const std::string& path, Freshness freshness) override;
  StatusOr<uint64_t> Write(const std::string& path, const std::string& content,
                           uint64_t version) override;
  Status Remove(const std::string& path, uint64_t version) override;
  StatusOr<std::vector<std::string>> List(const std::string& directory) override;
  StatusOr<std::vector<NamedLockFile>> ReadDirectory(const std::string& directory,
                                                     const std::set<std::string>& except) override;
  StatusOr<uint64_t> Acquire(const std::string& path) override;
  Status Release(const std::string& path) override;
  Status Watch(const std::string& path, std::function<void()> callback) override;
  StatusOr<uint64_t> NextEpoch() override;
  Status RaiseEpoch(uint64_t seen) override;
  Status Close() override;

 private:
  ZooKeeperSession(ZooKeeperHandle::Options connection, const std::string& cluster, int64_t tick_us,
                   const SessionOptions& options);
  // Does all steps of Open that need the connection.
  Status Begin(int64_t deadline_nanos, MissingCluster missing);
  Status MakeTree(int64_t deadline_nanos, MissingCluster missing);
  Status WhyNoCounter(int64_t deadline_nanos);
  Status MakeDirectory(int64_t deadline_nanos, const std::string& directory);
  int64_t Deadline();  // deadline of a call that begins now
  void OnEvent(const std::string& node);
  StatusOr<FileView> View(int64_t deadline_nanos, const std::string& path,
                          Freshness freshness = Freshness::kConsistent);
  StatusOr<std::vector<std::string>> NamesIn(int64_t deadline_nanos, const std::string& directory);
  std::vector<Change> CreationOf(const std::string& path, const std::string& content,
                                 LockFileKind kind, uint64_t fence) const;
  StatusOr<uint64_t> TryCreate(int64_t deadline_nanos, const std::string& path,
                               const std::string& content, LockFileKind kind, PartAnswer* refused);
  Status AwaitEnd(const SessionKey& key, int64_t deadline_nanos);

  const ZooKeeperHandle::Options connection_;
  const NodePaths paths_;
  const int64_t tick_us_;
  const std::string name_;      // the session's name, made printable
  engine::Clock* const clock_;  // the caller's clock
  uint64_t id_ = 0;

  // Held while a callback runs, so a callback must take no lock that is held around a call of this
  // class.
  engine::Mutex watch_mutex_;
  std::map<std::string, std::function<void()>> watches_ GUARDED_BY(watch_mutex_);  // keyed by path

  // handle_ is declared after watches_, so that it is destroyed first: until then it may call
  // OnEvent. numbers_ uses handle_ and is destroyed before it.
  std::unique_ptr<ZooKeeperHandle> handle_;
  std::unique_ptr<NumberCounter> numbers_;
};

}  // namespace sippar::cluster::zookeeper
