// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/examine_cluster.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/lock/member_record.h"
#include "cluster/node/bootstrap.h"
#include "cluster/node/cluster_client.h"
#include "cluster/node/cluster_site.h"
#include "cluster/node/open_client.h"
#include "cluster/node/server_client.h"
#include "cluster/node/store_file.h"
#include "cluster/node/target.h"
#include "cluster/node/target_file.h"
#include "cluster/wire/line.h"
#include "engine/base/thread.h"

namespace sippar::cluster {
namespace {

// Calls `work` concurrently for each number below `count`, so that the waits for members that do
// not answer overlap.
void AtOnce(size_t count, const std::function<void(size_t i)>& work) {
  constexpr size_t kThreadsMax = 32;
  std::atomic<size_t> next{0};
  std::vector<engine::Thread> threads;
  for (size_t i = 0; i < std::min(count, kThreadsMax); ++i) {
    threads.emplace_back("doctor", [&] {
      for (size_t at = next++; at < count; at = next++) work(at);
    });
  }
}

std::vector<std::string> Parts(const std::string& list) {
  std::vector<std::string> parts(1);
  for (char c : list) {
    if (c == ',') parts.emplace_back();
    if (c != ',') parts.back().push_back(c);
  }
  return parts;
}

StoreFacts LookAtStore(engine::FileSystem* fs, const std::string& directory) {
  StoreFacts facts;
  facts.directory = directory;
  auto id = ReadClusterId(fs, directory);
  facts.read = id.status();
  if (id.ok()) facts.id = *std::move(id);
  auto target = ReadTargetFile(fs, directory);
  if (target.ok()) facts.target = *std::move(target);
  auto logs = fs->List(store_paths::Logs(directory));
  if (!logs.ok()) return facts;
  for (const std::string& name : *logs) {
    const auto log = store_paths::ParseLog(name);
    if (log.has_value()) facts.top_epoch = std::max(facts.top_epoch, log->server.epoch);
  }
  return facts;
}

// Collects the facts of one cluster.
class Examination {
 public:
  Examination(ClusterFacts* facts, const ExamineOptions& options, Target place,
              std::shared_ptr<net::TlsKeys> tls)
      : facts_(facts), options_(options), place_(std::move(place)), tls_(std::move(tls)) {}

  void Run() {
    AskZooKeeper();
    facts_->session = OpenSession();
    if (facts_->session.ok()) facts_->session = ReadLocks();
    if (session_ != nullptr) ProbeMembers();
    auto store = ParseStoreFile(facts_->locks.store);
    if (!facts_->store.has_value() && store.ok()) {
      facts_->store = LookAtStore(FileSystemOf(store->place).get(), store->place.directory);
    }
    if (session_ != nullptr && facts_->locks.has_master) facts_->health = AskMaster();
    // An error of Close does no harm, because the session holds no lock.
    if (session_ != nullptr) (void)session_->Close();
  }

 private:
  engine::Clock* clock() const { return engine::Clock::System(); }

  void AskZooKeeper() {
    for (std::string& address : Parts(place_.members)) {
      facts_->zookeeper.push_back({std::move(address), {}});
    }
    AtOnce(facts_->zookeeper.size(), [&](size_t i) {
      ZooKeeperFact& member = facts_->zookeeper[i];
      member.look = zookeeper::AskMember(member.address, options_.answer_us);
    });
  }

  Status OpenSession() {
    ZooKeeperOptions zookeeper;
    zookeeper.missing = MissingCluster::kRefuse;
    zookeeper.connect_us = options_.connect_us;
    ASSIGN_OR_RETURN(std::unique_ptr<LockService> locks,
                     LockServiceOf(place_, options_.secret_file, std::move(zookeeper)));
    locks_ = std::move(locks);
    const SessionOptions session{"doctor of " + facts_->target, SiteOptions().session_us, clock()};
    ASSIGN_OR_RETURN(session_, locks_->OpenSession(session));
    return OkStatus();
  }

  // Returns an empty LockFile if there is no such file.
  StatusOr<LockFile> ReadIfThere(const std::string& path) {
    auto file = session_->Read(path, Freshness::kConsistent);
    return file.status().code() == StatusCode::kNotFound ? StatusOr<LockFile>(LockFile()) : file;
  }

  Status ReadLocks() {
    ASSIGN_OR_RETURN(LockFile id, ReadIfThere(lock_paths::ClusterId()));
    ASSIGN_OR_RETURN(LockFile store, ReadIfThere(lock_paths::Store()));
    ASSIGN_OR_RETURN(LockFile epoch, ReadIfThere(lock_paths::EpochCounter()));
    ASSIGN_OR_RETURN(LockFile master, ReadIfThere(lock_paths::MasterLock()));
    LockFacts& locks = facts_->locks;
    locks.id = std::move(id.content);
    locks.store = std::move(store.content);
    locks.has_master = master.holder != 0;
    const char* end = epoch.content.data() + epoch.content.size();
    uint64_t next = 0;
    const auto parsed = std::from_chars(epoch.content.data(), end, next);
    if (parsed.ec == std::errc() && parsed.ptr == end) locks.next_epoch = next;
    RETURN_IF_ERROR(ListMembers(lock_paths::Servers(), /*is_server=*/true));
    return ListMembers(lock_paths::Masters(), /*is_server=*/false);
  }

  // Adds the members in a directory of the lock service whose processes hold their locks.
  Status ListMembers(const std::string& directory, bool is_server) {
    ASSIGN_OR_RETURN(std::vector<NamedLockFile> files, session_->ReadDirectory(directory));
    for (const auto& [name, file] : files) {
      auto record = MemberRecord::Decode(file.content);
      // Without a holder the process has ended; without a record it has no address yet.
      if (file.holder == 0 || !record.ok()) continue;
      facts_->members.push_back({is_server, name, record->Print(), OkStatus()});
      addresses_.push_back({record->host, record->port, is_server ? name : ""});
    }
    return OkStatus();
  }

  // Asks each member whether it serves. A frozen process accepts the connection but does not
  // answer.
  void ProbeMembers() {
    net::LaneLoops loops("doctor");
    AtOnce(facts_->members.size(), [&](size_t i) {
      LineSettings settings;
      settings.loops = &loops;
      settings.clock = clock();
      settings.hello.role = "client";
      settings.hello.name = std::to_string(::getpid());
      settings.hello.cluster = facts_->locks.id;
      settings.tls = tls_;
      LineOptions line;
      line.find = [address = addresses_[i]] { return address; };
      line.reconnects = false;
      const CallOptions call{nullptr, options_.answer_us};
      facts_->members[i].answer = Line(std::move(settings), std::move(line))
                                      .Call(Method::kProbe, LookUpRule("probe"), "", call)
                                      .status();
    });
  }

  StatusOr<ClusterHealth> AskMaster() {
    SiteOptions site_options;
    site_options.secret_file = options_.secret_file;
    ASSIGN_OR_RETURN(std::shared_ptr<ClusterSite> site,
                     ClusterSite::OpenIn(locks_, facts_->target, site_options));
    ASSIGN_OR_RETURN(std::unique_ptr<Client> client, OpenClusterClient(std::move(site), tls_));
    const CallOptions call{nullptr, options_.answer_us};
    return client->admin()->Do(calls::ClusterStatus{}, call);
  }

  ClusterFacts* const facts_;
  const ExamineOptions& options_;
  const Target place_;
  const std::shared_ptr<net::TlsKeys> tls_;
  std::shared_ptr<LockService> locks_;
  std::unique_ptr<LockSession> session_;
  std::vector<MemberAddress> addresses_;  // addresses of facts_->members, in the same order
};

StatusOr<ClusterHealth> AskThrough(const std::string& target, const ExamineOptions& options,
                                   const std::shared_ptr<net::TlsKeys>& tls) {
  ClientOptions client_options;
  client_options.tls = tls;
  Patience patience;
  patience.wait_us = options.connect_us;
  ASSIGN_OR_RETURN(std::unique_ptr<Client> client, OpenClient(target, client_options, patience));
  const CallOptions call{nullptr, options.answer_us};
  return client->admin()->Do(calls::ClusterStatus{}, call);
}

}  // namespace

StatusOr<ClusterFacts> ExamineCluster(const std::string& target, const ExamineOptions& options) {
  ASSIGN_OR_RETURN(std::shared_ptr<net::TlsKeys> tls, TlsKeysOfEnvironment());
  ClusterFacts facts;
  facts.target = target;
  ASSIGN_OR_RETURN(Target place, ParseTarget(target));
  if (!place.directory.empty()) {
    std::unique_ptr<engine::FileSystem> fs = FileSystemOf(place.directory);
    ASSIGN_OR_RETURN(facts.target, ReadTargetFile(fs.get(), place.directory));
    facts.store = LookAtStore(fs.get(), place.directory);
    ASSIGN_OR_RETURN(place, ParseTarget(facts.target));
  }
  if (place.cluster.empty()) {
    facts.health = AskThrough(target, options, tls);
  } else {
    Examination(&facts, options, std::move(place), std::move(tls)).Run();
  }
  return facts;
}

}  // namespace sippar::cluster
