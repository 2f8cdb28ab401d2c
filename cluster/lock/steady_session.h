// A session that holds no lock and so can be replaced. It is for ClusterView and ClusterSite
// (cluster/node/), which read tablet locations, schemas and the files `store` and `stop`, take
// epochs, and change a file only if it has the version that they expect. If the service has ended
// the session (its lease ran out, or the service was down), the next call first opens a new one, so
// it may take longer than lock_service.h says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/lock/lock_service.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

// Thread safe. Locks and ephemeral files, which end with a session, are refused with
// kInvalidArgument. A watch is lost if its session ends. Of the calls that find the session over at
// the same time, one opens the next; the others wait for it. The destructor closes the session:
// without that it would stay at the service until its timeout.
class SteadySession final : public LockSession {
 public:
  // `service` outlives it.
  [[nodiscard]] static StatusOr<std::unique_ptr<SteadySession>> Open(LockService* service,
                                                                     const SessionOptions& options);

  ~SteadySession() override { static_cast<void>(SteadySession::Close()); }

  uint64_t id() const override { return Current()->id(); }  // id of the current session
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
  SteadySession(LockService* service, const SessionOptions& options,
                std::shared_ptr<LockSession> session)
      : service_(service), options_(options), session_(std::move(session)) {}

  std::shared_ptr<LockSession> Current() const;
  // Returns the session that replaces `lost`. One call opens it; other calls wait for that
  // call, and return its error if it fails.
  StatusOr<std::shared_ptr<LockSession>> Replace(const std::shared_ptr<LockSession>& lost);
  StatusOr<std::shared_ptr<LockSession>> AwaitReplaced() REQUIRES(mutex_);
  // Returns the answer of `call(LockSession*)`. If the session was over, `call` did nothing, so it
  // is safe to run it again in a new session.
  template <typename Answer, typename Call>
  Answer Ask(const Call& call);

  LockService* const service_;
  const SessionOptions options_;
  mutable engine::Mutex mutex_;
  engine::CondVar replaced_;
  bool closed_ GUARDED_BY(mutex_) = false;
  bool replacing_ GUARDED_BY(mutex_) = false;
  uint64_t tries_ GUARDED_BY(mutex_) = 0;  // finished tries to open a new session
  Status last_try_ GUARDED_BY(mutex_);     // result of the last try
  std::shared_ptr<LockSession> session_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
