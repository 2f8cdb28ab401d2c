// One session of the embedded lock service, and the scope of one change of the service. Included
// only by embedded_lock_service.cc and embedded_session.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/lock/embedded_lock_service.h"

namespace sippar::cluster {

// Scope of one change: excludes other changes, and keeps `session`, if it was alive at the start,
// from timing out before the end. The destructor calls back the watches that fired, after it has
// released the locks of the service.
class EmbeddedLockService::Change {
 public:
  Change(EmbeddedLockService* service, uint64_t session);
  ~Change();
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
  [[nodiscard]] const Status& alive() const { return alive_; }

  FiredWatches fired;

 private:
  EmbeddedLockService* service_;
  Status alive_;
};

class EmbeddedLockService::Session final : public LockSession {
 public:
  Session(EmbeddedLockService* service, uint64_t id, const SessionOptions& options,
          std::shared_ptr<WatchGate> gate)
      : service_(service), id_(id), options_(options), gate_(std::move(gate)) {}
  ~Session() override;

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
  LockState& state() { return service_->state_; }
  void CloseGate();  // waits for a callback in progress

  EmbeddedLockService* const service_;
  const uint64_t id_;
  const SessionOptions options_;
  const std::shared_ptr<WatchGate> gate_;
};

}  // namespace sippar::cluster
