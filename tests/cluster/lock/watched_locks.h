// A lock service that forwards every call to another one, counts its sessions, and fails or delays
// calls as the test wants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

class WatchedLocks final : public LockService {
 public:
  // `service` must outlive this object. Each hook runs before its call; an error of the hook is the
  // call's answer.
  struct Hooks {
    std::function<Status()> open = [] { return OkStatus(); };
    std::function<Status()> heartbeat = [] { return OkStatus(); };
    std::function<Status()> read = [] { return OkStatus(); };
  };
  explicit WatchedLocks(LockService* service) : service_(service) {}
  WatchedLocks(LockService* service, Hooks hooks) : service_(service), hooks_(std::move(hooks)) {}

  StatusOr<std::unique_ptr<LockSession>> OpenSession(const SessionOptions& options) override {
    ++tries_;
    RETURN_IF_ERROR(hooks_.open());
    ASSIGN_OR_RETURN(std::unique_ptr<LockSession> session, service_->OpenSession(options));
    ++opened_;
    return std::make_unique<Session>(this, std::move(session));
  }
  int tries() const { return tries_; }    // number of OpenSession calls
  int opened() const { return opened_; }  // number of successful OpenSession calls
  // Number of calls of sessions that read files or list names.
  int questions() const { return questions_; }
  // Sessions that were not closed; some of them may have been destroyed.
  int left() const { return opened_ - closed_; }

 private:
  class Session final : public LockSession {
   public:
    Session(WatchedLocks* locks, std::unique_ptr<LockSession> session)
        : locks_(locks), session_(std::move(session)) {}

    uint64_t id() const override { return session_->id(); }
    StatusOr<int64_t> Heartbeat() override {
      RETURN_IF_ERROR(locks_->hooks_.heartbeat());
      return session_->Heartbeat();
    }
    StatusOr<uint64_t> Create(const std::string& path, const std::string& content,
                              LockFileKind kind) override {
      return session_->Create(path, content, kind);
    }
    StatusOr<LockFile> Read(const std::string& path, Freshness freshness) override {
      ++locks_->questions_;
      RETURN_IF_ERROR(locks_->hooks_.read());
      return session_->Read(path, freshness);
    }
    StatusOr<uint64_t> Write(const std::string& path, const std::string& content,
                             uint64_t version) override {
      return session_->Write(path, content, version);
    }
    Status Remove(const std::string& path, uint64_t version) override {
      return session_->Remove(path, version);
    }
    StatusOr<std::vector<std::string>> List(const std::string& directory) override {
      ++locks_->questions_;
      return session_->List(directory);
    }
    StatusOr<std::vector<NamedLockFile>> ReadDirectory(
        const std::string& directory, const std::set<std::string>& except) override {
      ++locks_->questions_;
      RETURN_IF_ERROR(locks_->hooks_.read());
      return session_->ReadDirectory(directory, except);
    }
    StatusOr<uint64_t> Acquire(const std::string& path) override { return session_->Acquire(path); }
    Status Release(const std::string& path) override { return session_->Release(path); }
    Status Watch(const std::string& path, std::function<void()> callback) override {
      return session_->Watch(path, std::move(callback));
    }
    StatusOr<uint64_t> NextEpoch() override { return session_->NextEpoch(); }
    Status RaiseEpoch(uint64_t seen) override { return session_->RaiseEpoch(seen); }
    Status Close() override {
      if (!std::exchange(is_closed_, true)) ++locks_->closed_;
      return session_->Close();
    }

   private:
    WatchedLocks* const locks_;
    const std::unique_ptr<LockSession> session_;
    bool is_closed_ = false;
  };

  LockService* const service_;
  const Hooks hooks_;
  std::atomic<int> tries_{0};
  std::atomic<int> opened_{0};
  std::atomic<int> closed_{0};
  std::atomic<int> questions_{0};
};

}  // namespace sippar::cluster
