// The world of the contract on ZooKeeper. Its clients renew their sessions by themselves, so the
// world closes a session that gets no heartbeat for its timeout on the test's clock;
// member_faults_test.cc tests real ends of sessions.
// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/lock/zookeeper/zookeeper_world.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/thread.h"

namespace sippar::cluster {
namespace {

using engine::MutexLock;

constexpr int64_t kRealTimeout = 30 * kSecond;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string AskMembers(const std::string& command) {
  int end = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port =
      htons(static_cast<uint16_t>(std::atoi(Environment("SIPPAR_ZOOKEEPER_CONTROL").c_str())));
  EXPECT_EQ(::connect(end, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0)
      << "run this test by zookeeper_members.py";
  std::string line = command + "\n";
  EXPECT_EQ(::send(end, line.data(), line.size(), 0), static_cast<ssize_t>(line.size()));
  std::string answer;
  char buffer[256];
  for (ssize_t n = 0; (n = ::recv(end, buffer, sizeof(buffer), 0)) > 0;) {
    answer.append(buffer, static_cast<size_t>(n));
  }
  ::close(end);
  return answer;
}

void TellMembers(const std::string& command) { ASSERT_EQ(AskMembers(command), "ok\n") << command; }

int MemberCount() {
  std::string hosts = Environment("SIPPAR_ZOOKEEPER");
  return static_cast<int>(std::count(hosts.begin(), hosts.end(), ',')) + 1;
}

ZooKeeperOptions FreshCluster() {
  static std::atomic<int> clusters{0};
  ZooKeeperOptions options;
  options.hosts = Environment("SIPPAR_ZOOKEEPER");
  options.cluster = fmt::format("test{}", ++clusters);
  return options;
}

ZooKeeperOptions Through(ZooKeeperOptions options, int member) {
  std::string hosts = Environment("SIPPAR_ZOOKEEPER_RELAYED");
  for (int i = 1; i < member; ++i) hosts.erase(0, hosts.find(',') + 1);
  options.hosts = member == 0 ? hosts : hosts.substr(0, hosts.find(','));
  return options;
}

std::unique_ptr<LockService> NewService(const ZooKeeperOptions& options) {
  auto service = OpenZooKeeper(options);
  EXPECT_TRUE(service.ok()) << service.status();
  return std::move(*service);
}

StatusOr<std::unique_ptr<LockSession>> OpenSession(LockService* service, const std::string& name,
                                                   int64_t timeout_us) {
  SessionOptions options;
  options.name = name;
  options.timeout_us = timeout_us;
  auto opened = service->OpenSession(options);
  for (int tries = 0; tries < 5 && opened.status().code() == StatusCode::kUnavailable; ++tries) {
    opened = service->OpenSession(options);
  }
  return opened;
}

namespace {

// A session timed by the test's clock. A dropped session stays open, without callbacks, until its
// timeout.
struct Timed {
  std::shared_ptr<LockSession> real;
  int64_t timeout_us = 0;  // 0: no timeout
  int64_t over_at_us = 0;
  std::set<std::string> watched;  // paths whose callback was not yet called
  bool is_dropped = false;
};

class ZooKeeperWorld final : public ContractWorld, private LockService {
 public:
  ZooKeeperWorld() : options_(FreshCluster()), service_(NewService(options_)) { clock = &clock_; }
  ~ZooKeeperWorld() override { CloseAll(); }
  void Restart() override {
    CloseAll();
    service_ = NewService(options_);
  }
  std::shared_ptr<LockSession> Session(const std::string& name, int64_t timeout_us) override {
    auto opened = OpenSession({name, timeout_us, &clock_});
    EXPECT_TRUE(opened.ok()) << opened.status();
    return std::move(*opened);
  }
  void Pass(int64_t micros) override {
    clock_.Set(clock_.NowMicros() + micros);
    std::vector<std::shared_ptr<LockSession>> over;
    {
      MutexLock lock(&mutex_);
      for (auto& [id, timed] : sessions_) {
        if (timed.timeout_us != 0 && timed.over_at_us <= clock_.NowMicros()) {
          over.push_back(timed.real);
        }
      }
      std::erase_if(sessions_, [&](const auto& entry) {
        return std::find(over.begin(), over.end(), entry.second.real) != over.end();
      });
    }
    for (const auto& session : over) EXPECT_OK(session->Close());
    Settle();
  }
  LockService* locks() override { return this; }
  int64_t early_nanos() const override { return kTickMicros * 1000; }
  int slowness() const override { return 40; }

  void Renew(uint64_t id) {
    MutexLock lock(&mutex_);
    auto found = sessions_.find(id);
    if (found == sessions_.end()) return;
    found->second.over_at_us = clock_.NowMicros() + found->second.timeout_us;
  }
  // Waits until the callbacks of all earlier changes have been called: a member notifies a session
  // of a change before it answers the session's later reads.
  void Settle() {
    std::vector<std::shared_ptr<LockSession>> watching;
    {
      MutexLock lock(&mutex_);
      for (auto& [id, timed] : sessions_) {
        if (!timed.watched.empty()) watching.push_back(timed.real);
      }
    }
    for (const auto& session : watching) (void)session->Read("nothing", Freshness::kConsistent);
  }
  Status Watch(LockSession* real, const std::string& path, std::function<void()> callback) {
    uint64_t id = real->id();
    {
      MutexLock lock(&mutex_);
      if (sessions_.contains(id)) sessions_[id].watched.insert(path);
    }
    return real->Watch(path, [this, id, path, callback = std::move(callback)] {
      {
        MutexLock lock(&mutex_);
        auto found = sessions_.find(id);
        if (found == sessions_.end() || found->second.is_dropped) return;
      }
      callback();
      // Erased only after the callback, because Settle waits for sessions with a pending or running
      // callback.
      MutexLock lock(&mutex_);
      auto found = sessions_.find(id);
      if (found != sessions_.end()) found->second.watched.erase(path);
    });
  }
  void Drop(uint64_t id) {
    std::shared_ptr<LockSession> ends;
    {
      MutexLock lock(&mutex_);
      auto found = sessions_.find(id);
      if (found == sessions_.end()) return;
      found->second.is_dropped = true;
      if (found->second.timeout_us == 0) ends = found->second.real;
    }
    if (ends == nullptr) return;
    EXPECT_OK(ends->Close());
    MutexLock lock(&mutex_);
    sessions_.erase(id);
  }

 private:
  class Wrapped;
  StatusOr<std::unique_ptr<LockSession>> OpenSession(const SessionOptions& options) override;
  void CloseAll() {
    std::map<uint64_t, Timed> all;
    {
      MutexLock lock(&mutex_);
      all.swap(sessions_);
    }
    for (auto& [id, timed] : all) EXPECT_OK(timed.real->Close());
  }

  const ZooKeeperOptions options_;
  engine::ManualClock clock_{1'000 * kSecond};
  std::unique_ptr<LockService> service_;
  engine::Mutex mutex_;
  std::map<uint64_t, Timed> sessions_ GUARDED_BY(mutex_);
};

class ZooKeeperWorld::Wrapped final : public LockSession {
 public:
  Wrapped(ZooKeeperWorld* world, std::shared_ptr<LockSession> real, int64_t timeout_us)
      : world_(world), real_(std::move(real)), timeout_us_(timeout_us) {}
  ~Wrapped() override { world_->Drop(real_->id()); }

  uint64_t id() const override { return real_->id(); }
  StatusOr<int64_t> Heartbeat() override {
    ASSIGN_OR_RETURN(int64_t over_at_nanos, real_->Heartbeat());
    world_->Renew(id());
    if (timeout_us_ == 0) return INT64_MAX;
    return over_at_nanos - (kRealTimeout - timeout_us_) * 1000;
  }
  StatusOr<uint64_t> Create(const std::string& path, const std::string& content,
                            LockFileKind kind) override {
    return Settled(real_->Create(path, content, kind));
  }
  StatusOr<LockFile> Read(const std::string& path, Freshness freshness) override {
    return real_->Read(path, freshness);
  }
  StatusOr<uint64_t> Write(const std::string& path, const std::string& content,
                           uint64_t version) override {
    return Settled(real_->Write(path, content, version));
  }
  Status Remove(const std::string& path, uint64_t version) override {
    return Settled(real_->Remove(path, version));
  }
  StatusOr<std::vector<std::string>> List(const std::string& directory) override {
    return real_->List(directory);
  }
  StatusOr<std::vector<NamedLockFile>> ReadDirectory(const std::string& directory,
                                                     const std::set<std::string>& except) override {
    return real_->ReadDirectory(directory, except);
  }
  StatusOr<uint64_t> Acquire(const std::string& path) override {
    return Settled(real_->Acquire(path));
  }
  Status Release(const std::string& path) override { return Settled(real_->Release(path)); }
  Status Watch(const std::string& path, std::function<void()> callback) override {
    return world_->Watch(real_.get(), path, std::move(callback));
  }
  StatusOr<uint64_t> NextEpoch() override { return real_->NextEpoch(); }
  Status RaiseEpoch(uint64_t seen) override { return real_->RaiseEpoch(seen); }
  Status Close() override { return Settled(real_->Close()); }

 private:
  template <typename T>
  T Settled(T answer) {
    world_->Settle();
    return answer;
  }

  ZooKeeperWorld* const world_;
  const std::shared_ptr<LockSession> real_;
  const int64_t timeout_us_;
};

StatusOr<std::unique_ptr<LockSession>> ZooKeeperWorld::OpenSession(const SessionOptions& options) {
  SessionOptions real_options = options;
  real_options.timeout_us = kRealTimeout;
  ASSIGN_OR_RETURN(std::shared_ptr<LockSession> real, service_->OpenSession(real_options));
  MutexLock lock(&mutex_);
  sessions_[real->id()] = {
      real, options.timeout_us, clock_.NowMicros() + options.timeout_us, {}, false};
  return std::make_unique<Wrapped>(this, std::move(real), options.timeout_us);
}

}  // namespace

std::unique_ptr<ContractWorld> NewContractWorld() { return std::make_unique<ZooKeeperWorld>(); }

}  // namespace sippar::cluster
