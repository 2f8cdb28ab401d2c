// Members of a cluster that call each other over sockets: here they are objects in one process,
// with their own ports and one lock service in memory.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/member.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <thread>

#include "cluster/lock/lock_paths.h"
#include "cluster/node/open_client.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kLeaseUs = 2 * kSecond;

TableSchema SchemaOf(const std::string& name) {
  TableSchema schema;
  schema.name = name;
  schema.families.resize(1);
  schema.families[0].name = "f";
  return schema;
}

class MemberTest : public testing::Test {
 protected:
  MemberTest() {
    directory_ = testing::TempDir() + "member_test." + std::to_string(::getpid());
    std::filesystem::remove_all(directory_);
    locks_ = EmbeddedLockService::Open(&lock_disk_, "/lock", engine::Clock::System()).value();
    EXPECT_EQ(MakeClusterIn(locks_.get(), "test", Store(), {}).value(), true);
  }
  ~MemberTest() override {
    client_.reset();
    members_.clear();
    sites_.clear();
    std::filesystem::remove_all(directory_);
  }

  std::string Store() const { return "posix:" + directory_; }
  std::shared_ptr<ClusterSite> Site() {
    auto site = ClusterSite::OpenIn(locks_, "test", {});
    EXPECT_OK(site);
    return *std::move(site);
  }
  static MemberOptions Server(const std::string& name) {
    MemberOptions options;
    options.name = name;
    options.is_server = true;
    options.lease_us = kLeaseUs;
    options.memory_limit = 64 << 20;
    options.end_process = [](const char*) {};
    return options;
  }
  static MemberOptions Master(const std::string& name) {
    MemberOptions options = Server(name);
    options.is_server = false;
    options.is_master = true;
    return options;
  }
  Status Start(const MemberOptions& options) {
    std::shared_ptr<ClusterSite> site = Site();
    auto member = Member::Start(site.get(), options);
    RETURN_IF_ERROR(member.status());
    sites_[options.name] = std::move(site);
    members_[options.name] = *std::move(member);
    return OkStatus();
  }
  void Kill(const std::string& name) {
    members_.erase(name);
    sites_.erase(name);
  }
  // Starts two servers and two masters.
  void StartCluster() {
    for (const char* name : {"s1", "s2"}) ASSERT_TRUE(IsOk(Start(Server(name))));
    for (const char* name : {"m1", "m2"}) ASSERT_TRUE(IsOk(Start(Master(name))));
    client_ = OpenClusterClient(Site(), nullptr).value();
  }
  Status Write(const std::string& row) {
    return client_->data()->Apply("t", RowMutation(row).Set("f", "q", "v"));
  }
  std::string Rows() {
    auto cells = client_->data()->Read("t", ReadSpec(), {});
    if (!cells.ok()) return cells.status().ToString();
    std::string rows;
    for (; (*cells)->Valid(); (*cells)->NextRow()) rows += (*cells)->cell().row;
    return (*cells)->status().ok() ? rows : (*cells)->status().ToString();
  }
  // Name of the active master; "" if there is none.
  std::string Reigning() {
    auto lock =
        sites_.begin()->second->session()->Read(lock_paths::MasterLock(), Freshness::kConsistent);
    if (!lock.ok() || lock->holder == 0) return "";
    auto record = MemberRecord::Decode(lock->content);
    for (const auto& [name, member] : members_) {
      if (record.ok() && member->address() == fmt::format("{}:{}", record->host, record->port)) {
        return name;
      }
    }
    return "";
  }
  std::vector<std::string> Logs() const {
    std::vector<std::string> logs;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/wal")) {
      logs.push_back(entry.path().filename());
    }
    return logs;
  }

  engine::MemoryFileSystem lock_disk_;
  std::string directory_;
  std::shared_ptr<LockService> locks_;
  std::map<std::string, std::shared_ptr<ClusterSite>> sites_;
  std::map<std::string, std::unique_ptr<Member>> members_;
  std::unique_ptr<Client> client_;
};

TEST_F(MemberTest, ATableOfSeveralServersIsOneTable) {
  StartCluster();
  EXPECT_OK(client_->admin()->Do(calls::CreateTable{SchemaOf("t"), {"h", "p"}}));
  for (const char* row : {"a", "k", "z"}) EXPECT_OK(Write(row));
  EXPECT_EQ(Rows(), "akz");
  auto servers = client_->admin()->Do(calls::ListServers{});
  ASSERT_TRUE(IsOk(servers));
  ASSERT_EQ(servers->size(), 2U);
  for (const ServerInfo& server : *servers) EXPECT_GT(server.tablet_count, 0U);
}

TEST_F(MemberTest, TheTabletsOfAServerThatDiesAreServedWithAllThatWasAcknowledged) {
  StartCluster();
  EXPECT_OK(client_->admin()->Do(calls::CreateTable{SchemaOf("t"), {"h", "p"}}));
  for (const char* row : {"a", "k", "z"}) EXPECT_OK(Write(row));
  Kill("s1");
  EXPECT_EQ(Rows(), "akz");
  EXPECT_OK(Write("b"));
  EXPECT_EQ(Rows(), "abkz");
}

TEST_F(MemberTest, AnotherMasterTakesOverAndNoCallNoticesIt) {
  StartCluster();
  EXPECT_OK(client_->admin()->Do(calls::CreateTable{SchemaOf("t"), {}}));
  const std::string first = Reigning();
  ASSERT_NE(first, "");
  Kill(first);
  EXPECT_OK(Write("a"));
  EXPECT_OK(client_->admin()->Do(calls::CreateTable{SchemaOf("t2"), {}}));
  EXPECT_NE(Reigning(), "");
  EXPECT_NE(Reigning(), first);
}

// Such clients name no lock service: every member finds masters and tablets for them.
TEST_F(MemberTest, AClientThatKnowsMembersAloneReadsAndWritesThroughAnyOfThem) {
  StartCluster();
  for (const auto& [name, member] : members_) {
    auto through = OpenClient(member->address(), {});
    ASSERT_TRUE(IsOk(through)) << name;
    EXPECT_OK((*through)->admin()->Do(calls::CreateTable{SchemaOf(name), {"h"}}));
    EXPECT_OK((*through)->data()->Apply(name, RowMutation("a").Set("f", "q", "v")));
    EXPECT_OK((*through)->data()->Apply(name, RowMutation("z").Set("f", "q", "v")));
    auto cells = (*through)->data()->Read(name, ReadSpec(), {});
    ASSERT_TRUE(IsOk(cells)) << name;
    size_t rows = 0;
    for (; (*cells)->Valid(); (*cells)->NextRow()) ++rows;
    EXPECT_OK((*cells)->status());
    EXPECT_EQ(rows, 2U) << name;
    EXPECT_CODE((*through)->admin()->Do(calls::GetSchema{"absent"}), StatusCode::kNotFound);
  }
  EXPECT_EQ(client_->admin()->Do(calls::ListTables{})->size(), 4U);
}

TEST_F(MemberTest, AClientOfMembersGoesOnWithTheNextWhenItsMemberEndsOrDies) {
  StartCluster();
  EXPECT_OK(client_->admin()->Do(calls::CreateTable{SchemaOf("t"), {"h", "p"}}));
  auto through = OpenClient(fmt::format("{},{},{}", members_["s1"]->address(),
                                        members_["m1"]->address(), members_["s2"]->address()),
                            {});
  ASSERT_TRUE(IsOk(through));
  auto write = [&](const char* row) {
    return (*through)->data()->Apply("t", RowMutation(row).Set("f", "q", "v"));
  };
  EXPECT_OK(write("a"));
  EXPECT_OK(members_["s1"]->Leave(Ending::kOneServer));
  Kill("s1");
  EXPECT_OK(write("k"));
  Kill("m1");
  EXPECT_OK(write("z"));
  EXPECT_EQ(Rows(), "akz");
}

// All these calls wait for calls to tablets in the same process. If they could occupy all threads
// of a lane, none would ever end.
TEST_F(MemberTest, ManyCallsOfClientsLeaveTheThreadsThatTheyNeed) {
  MemberOptions both = Server("s1");
  both.is_master = true;
  ASSERT_TRUE(IsOk(Start(both)));
  client_ = OpenClusterClient(Site(), nullptr).value();
  EXPECT_OK(client_->admin()->Do(calls::CreateTable{SchemaOf("t"), {}}));
  auto through = OpenClient(members_["s1"]->address(), {});
  ASSERT_TRUE(IsOk(through));
  std::vector<Status> outcomes(300);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    threads.emplace_back([&, i] {
      const std::string row = fmt::format("{:03}", i);
      outcomes[i] = (*through)->data()->Apply("t", RowMutation(row).Set("f", "q", "v"));
      if (outcomes[i].ok()) outcomes[i] = (*through)->data()->Read("t", ReadSpec(), {}).status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& outcome : outcomes) EXPECT_OK(outcome);
}

TEST_F(MemberTest, L10_ANameIsOneProcessesAlone) {
  StartCluster();
  EXPECT_CODE(Start(Server("s1")), StatusCode::kAlreadyExists);
  EXPECT_CODE(Start(Master("m2")), StatusCode::kAlreadyExists);
  EXPECT_CODE(Start(Server("S 1")), StatusCode::kInvalidArgument);
}

TEST_F(MemberTest, ServersThatEndTogetherLeaveNothingToRecover) {
  StartCluster();
  EXPECT_OK(client_->admin()->Do(calls::CreateTable{SchemaOf("t"), {"h", "p"}}));
  for (const char* row : {"a", "k", "z"}) EXPECT_OK(Write(row));
  std::map<std::string, Status> left;
  for (const auto& [name, member] : members_) left[name] = OkStatus();
  std::vector<std::thread> threads;
  for (auto& [name, member] : members_) {
    threads.emplace_back([&left, &name = name, &member = member] {
      left.at(name) = member->Leave(Ending::kAllServers);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& [name, status] : left) EXPECT_TRUE(status.ok()) << name << ": " << status;
  client_.reset();
  members_.clear();
  sites_.clear();
  for (const std::string& log : Logs()) EXPECT_FALSE(log.ends_with(".sealed")) << log;

  StartCluster();
  EXPECT_EQ(Rows(), "akz");
  for (const std::string& log : Logs()) EXPECT_FALSE(log.ends_with(".sealed")) << log;
}

TEST_F(MemberTest, AnAddressOfOtherMachinesNeedsCertificates) {
  MemberOptions options = Server("s1");
  options.listen = "0.0.0.0:0";
  EXPECT_CODE(Start(options), StatusCode::kInvalidArgument);
  options.is_open_to_all = true;
  EXPECT_OK(Start(options));
  EXPECT_EQ(members_["s1"]->address().find("0.0.0.0"), std::string::npos);
}

TEST_F(MemberTest, X14_AStoreOfAnotherClusterIsRefused) {
  StartCluster();
  EXPECT_EQ(MakeClusterIn(locks_.get(), "test", Store(), {}).value(), false);
  EXPECT_CODE(MakeClusterIn(locks_.get(), "test", Store() + "2", {}),
              StatusCode::kFailedPrecondition);
  EXPECT_CODE(MakeClusterIn(locks_.get(), "test", "posix:relative", {}),
              StatusCode::kInvalidArgument);
  EXPECT_CODE(MakeClusterIn(locks_.get(), "test", "ceph:/a", {}), StatusCode::kInvalidArgument);

  engine::MemoryFileSystem other_disk;
  std::shared_ptr<LockService> other =
      EmbeddedLockService::Open(&other_disk, "/lock", engine::Clock::System()).value();
  EXPECT_CODE(ClusterSite::OpenIn(other, "other", {}), StatusCode::kNotFound);
  EXPECT_CODE(MakeClusterIn(other.get(), "other", Store(), {}), StatusCode::kFailedPrecondition);
  const std::string elsewhere = directory_ + ".other";
  EXPECT_EQ(MakeClusterIn(other.get(), "other", "posix:" + elsewhere, {}).value(), true);
  auto site = ClusterSite::OpenIn(other, "other", {});
  ASSERT_TRUE(IsOk(site));
  EXPECT_OK((*site)->OpenFiles());
  // Now the store of the first cluster is mounted there.
  std::filesystem::remove(elsewhere + "/CLUSTER");
  EXPECT_CODE((*site)->OpenFiles(), StatusCode::kFailedPrecondition);
  std::filesystem::copy_file(directory_ + "/CLUSTER", elsewhere + "/CLUSTER");
  EXPECT_CODE((*site)->OpenFiles(), StatusCode::kFailedPrecondition);
  std::filesystem::remove_all(elsewhere);
}

TEST_F(MemberTest, AStoreThatProgramsOpenAsADirectoryIsNoClusters) {
  const std::string embedded = directory_ + ".embedded";
  std::filesystem::create_directories(embedded + "/lock");
  engine::MemoryFileSystem other_disk;
  auto other = EmbeddedLockService::Open(&other_disk, "/lock", engine::Clock::System()).value();
  EXPECT_CODE(MakeClusterIn(other.get(), "other", "posix:" + embedded, {}),
              StatusCode::kFailedPrecondition);
  std::filesystem::remove_all(embedded);
}

TEST_F(MemberTest, AStopThatIsAskedForReachesThoseThatRanBefore) {
  std::shared_ptr<ClusterSite> before = Site();
  EXPECT_FALSE(before->IsAskedToStop());
  EXPECT_OK(Site()->AskToStop());
  EXPECT_TRUE(before->IsAskedToStop());
  EXPECT_FALSE(Site()->IsAskedToStop());
}

TEST_F(MemberTest, X16_AProcessWhoseClusterIsGoneFromTheLockServiceLearnsIt) {
  std::shared_ptr<ClusterSite> site = Site();
  EXPECT_OK(site->CheckBelongs());
  LockSession* session = site->session();
  const uint64_t version = session->Read(lock_paths::Store())->version;
  EXPECT_OK(session->Write(lock_paths::Store(), "posix:/elsewhere", version));
  EXPECT_CODE(site->CheckBelongs(), StatusCode::kAborted);
  EXPECT_OK(session->Remove(lock_paths::Store(), version + 1));
  EXPECT_CODE(site->CheckBelongs(), StatusCode::kNotFound);
  EXPECT_FALSE(site->IsAskedToStop());
}

}  // namespace
}  // namespace sippar::cluster
