// Sends the calls of lock sessions over the simulated network.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_locks.h"

#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace sippar::sim {
namespace {

using cluster::Freshness;
using cluster::LockFile;
using cluster::LockFileKind;
using cluster::LockSession;
using cluster::NamedLockFile;
using cluster::SessionOptions;

constexpr int64_t kCallMicros = 1'000'000;  // time limit of a call in a session without timeout

// To a session, any missing answer means kUnavailable.
Status AsUnknown(const Status& status) {
  return status.code() == StatusCode::kDeadlineExceeded
             ? Unavailable(std::string(MessageOf(status)))
             : status;
}

class SimSession final : public LockSession {
 public:
  SimSession(World* world, MachineId service, const SessionOptions& options)
      : world_(world), service_(service), options_(options) {}
  ~SimSession() override { *open_ = false; }

  Status Open() {
    SessionOptions remote = options_;
    remote.clock = world_->scheduler()->ClockOf(service_);
    auto opened = AtService<uint64_t>([remote](LockProcess* process) -> StatusOr<uint64_t> {
      ASSIGN_OR_RETURN(std::shared_ptr<LockSession> session, process->service->OpenSession(remote));
      process->sessions[session->id()] = session;
      return session->id();
    });
    RETURN_IF_ERROR(opened.status());
    id_ = *opened;
    return OkStatus();
  }

  uint64_t id() const override { return id_; }

  StatusOr<int64_t> Heartbeat() override {
    int64_t sent_ns = options_.clock->MonotonicNanos();
    RETURN_IF_ERROR(Do([](LockSession* session) { return session->Heartbeat().status(); }));
    return options_.timeout_us == 0 ? INT64_MAX : sent_ns + options_.timeout_us * 1000;
  }
  StatusOr<uint64_t> Create(const std::string& path, const std::string& content,
                            LockFileKind kind) override {
    return Ask<uint64_t>(
        [=](LockSession* session) { return session->Create(path, content, kind); });
  }
  StatusOr<LockFile> Read(const std::string& path, Freshness freshness) override {
    return Ask<LockFile>([=](LockSession* session) { return session->Read(path, freshness); });
  }
  StatusOr<uint64_t> Write(const std::string& path, const std::string& content,
                           uint64_t version) override {
    return Ask<uint64_t>(
        [=](LockSession* session) { return session->Write(path, content, version); });
  }
  Status Remove(const std::string& path, uint64_t version) override {
    return Do([=](LockSession* session) { return session->Remove(path, version); });
  }
  StatusOr<std::vector<std::string>> List(const std::string& directory) override {
    return Ask<std::vector<std::string>>(
        [=](LockSession* session) { return session->List(directory); });
  }
  StatusOr<std::vector<NamedLockFile>> ReadDirectory(const std::string& directory,
                                                     const std::set<std::string>& except) override {
    return Ask<std::vector<NamedLockFile>>(
        [=](LockSession* session) { return session->ReadDirectory(directory, except); });
  }
  StatusOr<uint64_t> Acquire(const std::string& path) override {
    return Ask<uint64_t>([=](LockSession* session) { return session->Acquire(path); });
  }
  Status Release(const std::string& path) override {
    return Do([=](LockSession* session) { return session->Release(path); });
  }
  // The notification travels over the network, too, and may come late or never.
  Status Watch(const std::string& path, std::function<void()> callback) override {
    MachineId to = world_->scheduler()->machine();
    uint64_t life = world_->scheduler()->LivesOf(to);
    auto tell = [world = world_, to, life, open = open_, callback = std::move(callback)] {
      if (world->scheduler()->LivesOf(to) != life || world->OneIn(4)) return;
      world->scheduler()->StartOn(to, "watch", [world, open, callback] {
        world->SleepMicros(static_cast<int64_t>(20ull << world->random()->Uniform(10)));
        if (*open) callback();
      });
    };
    return Do([path, tell](LockSession* session) { return session->Watch(path, tell); });
  }
  StatusOr<uint64_t> NextEpoch() override {
    return Ask<uint64_t>([](LockSession* session) { return session->NextEpoch(); });
  }
  Status RaiseEpoch(uint64_t seen) override {
    return Do([=](LockSession* session) { return session->RaiseEpoch(seen); });
  }
  Status Close() override {
    *open_ = false;
    Status closed = Do([](LockSession* session) { return session->Close(); });
    return HasCause(closed, Cause::kSessionOver) ? OkStatus() : closed;
  }

 private:
  template <typename T>
  StatusOr<T> AtService(std::function<StatusOr<T>(LockProcess*)> work) {
    CallOptions call;
    call.timeout_us = options_.timeout_us == 0 ? kCallMicros : options_.timeout_us / 3;
    auto answer = world_->network()->Call<LockProcess, T>(service_, std::move(work), call);
    if (!answer.ok()) return AsUnknown(answer.status());
    return answer;
  }

  template <typename T>
  StatusOr<T> Ask(std::function<StatusOr<T>(LockSession*)> work) {
    for (bool again = options_.timeout_us == 0 && *open_;; again = false) {
      auto answer = AtService<T>([id = id_, work](LockProcess* process) -> StatusOr<T> {
        auto found = process->sessions.find(id);
        if (found == process->sessions.end()) return SessionOver("no such session");
        std::shared_ptr<LockSession> session = found->second;
        return work(session.get());
      });
      if (!HasCause(answer.status(), Cause::kSessionOver) || !again) return answer;
      RETURN_IF_ERROR(Open());
    }
  }
  Status Do(std::function<Status(LockSession*)> work) {
    return Ask<bool>([work = std::move(work)](LockSession* session) -> StatusOr<bool> {
             RETURN_IF_ERROR(work(session));
             return true;
           })
        .status();
  }

  World* const world_;
  const MachineId service_;
  const SessionOptions options_;
  uint64_t id_ = 0;
  // False after Close; watches check it.
  std::shared_ptr<bool> open_ = std::make_shared<bool>(true);
};

}  // namespace

StatusOr<std::unique_ptr<LockSession>> SimLockService::OpenSession(const SessionOptions& options) {
  auto session = std::make_unique<SimSession>(world_, machine_, options);
  RETURN_IF_ERROR(session->Open());
  return std::unique_ptr<LockSession>(std::move(session));
}

}  // namespace sippar::sim
