// Tests how the master learns that a server's process has died, and how long it waits for a server
// that it removes by force.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cluster/api/store_paths.h"
#include "cluster/api/transport.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/lock/member_record.h"
#include "cluster/master/act/recovery_actions.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster::master {
namespace {

constexpr int64_t kLeaseUs = 6 * kSecond;  // lease of the master itself

// The connections to all servers are cut, or none of them.
class CutTransport final : public Transport {
 public:
  bool IsCut(const ServerId&) override { return is_cut; }
  std::shared_ptr<TabletService> Tablets(const ServerId&, net::Lane) override { return nullptr; }
  std::shared_ptr<TabletControl> Control(const ServerId&) override { return nullptr; }
  std::shared_ptr<AdminApi> Admin() override { return nullptr; }
  std::shared_ptr<MasterNotices> Notices() override { return nullptr; }
  bool is_cut = false;
};

class FenceTest : public testing::Test {
 protected:
  FenceTest() {
    places_.fs = &lock_.fs;
    places_.transport = &transport_;
    places_.clock = &lock_.clock;
    places_.directory = "/db";
    places_.lease_us = kLeaseUs;
  }
  void Register(const std::string& content) {
    ASSERT_TRUE(IsOk(server_->Create(lock_paths::Server(id_), content, LockFileKind::kLocked)));
  }
  static std::string RecordWith(int64_t lease_us) {
    MemberRecord record;
    record.host = "127.0.0.1";
    record.port = 7001;
    record.lease_us = lease_us;
    return record.Encode();
  }
  // Seconds after the fence until the writer counts as stopped; the server has no log whose owner
  // could prove it earlier.
  int64_t SecondsUntilStopped(RecoveryActions* actions) {
    for (int64_t seconds = 0; seconds < 100; ++seconds, lock_.Pass(kSecond)) {
      if (actions->Do(action::StopWriter{id_}).status.ok()) return seconds;
    }
    return 100;
  }
  int64_t SecondsAfterForce(const std::string& content) {
    Register(content);
    RecoveryActions actions(&places_, master_.get(), 7);
    EXPECT_OK(actions.Do(action::FenceServer{id_, true}).status);
    return SecondsUntilStopped(&actions);
  }

  // The server's process, on machine 1, holds the flock of its log. The file system can end it.
  void BeginLog() {
    for (const std::string& path : {places_.directory, store_paths::Logs(places_.directory),
                                    store_paths::Log(places_.directory, id_)}) {
      EXPECT_OK(lock_.fs.CreateDir(path));
    }
    owner_ = *process_->Lock(store_paths::LogOwner(store_paths::Log(places_.directory, id_)), "");
    lock_.fs.OnFence([this](uint32_t, const std::string& identity) {
      ended_ += identity;
      process_->Crash(nullptr);
    });
  }
  std::string RecordOf(const std::string& cluster) {
    MemberRecord record;
    record.host = "127.0.0.1";
    record.port = 7001;
    record.cluster = cluster;
    record.identity = process_->Identity();
    return record.Encode();
  }

  // The servers that a listing reports as dead.
  std::vector<ServerId> Dead() {
    RecoveryActions actions(&places_, master_.get(), 7);
    const event::Done done = actions.Do(action::ListServers{});
    EXPECT_OK(done.status);
    const auto* listing = std::get_if<ServerListing>(&done.answer);
    if (listing == nullptr) return {ServerId{"no listing", 0}};
    EXPECT_EQ(listing->locked, std::vector<ServerId>{id_});
    return listing->dead;
  }

  LockWorld lock_;
  CutTransport transport_;
  std::shared_ptr<LockSession> master_ = lock_.Session("m1", 3600 * kSecond);
  std::shared_ptr<LockSession> server_ = lock_.Session("s1", 3600 * kSecond);
  std::shared_ptr<engine::MemoryFileSystem> process_ = lock_.fs.ForMachine(1);
  std::unique_ptr<engine::FileLock> owner_;
  std::string ended_;  // identities of the processes that were ended
  const ServerId id_{"s1", 4};
  ActionPlaces places_;
};

TEST_F(FenceTest, TheServersOwnLeaseCountsIfItIsLonger) {
  EXPECT_EQ(SecondsAfterForce(RecordWith(20 * kSecond)), 20);
}

TEST_F(FenceTest, TheMastersLeaseCountsIfItIsLongerOrTheRecordSaysNothing) {
  EXPECT_EQ(SecondsAfterForce(RecordWith(2 * kSecond)), 6);
  EXPECT_EQ(SecondsAfterForce(RecordWith(0)), 6);
  EXPECT_EQ(SecondsAfterForce("s1"), 6);
}

// The lock service's answer to the removal was lost, so the second attempt finds no file to read.
TEST_F(FenceTest, TheLeaseIsKnownFromTheListingWhenTheFileIsGone) {
  Register(RecordWith(20 * kSecond));
  RecoveryActions actions(&places_, master_.get(), 7);
  EXPECT_OK(actions.Do(action::ListServers{}).status);
  EXPECT_OK(master_->Remove(lock_paths::Server(id_), 1));
  EXPECT_OK(actions.Do(action::FenceServer{id_, true}).status);
  EXPECT_EQ(SecondsUntilStopped(&actions), 20);
}

TEST_F(FenceTest, ALockThatWasFreeShowsThatTheLeaseIsOver) {
  Register(RecordWith(20 * kSecond));
  EXPECT_OK(server_->Close());
  RecoveryActions actions(&places_, master_.get(), 7);
  EXPECT_OK(actions.Do(action::FenceServer{id_, false}).status);
  EXPECT_EQ(SecondsUntilStopped(&actions), 0);
}

// The server's session is still valid, but the kernel has freed the flock of its log.
TEST_F(FenceTest, L16_OneWhoseConnectionIsCutAndWhoseFlockIsFreeIsDead) {
  Register(RecordWith(20 * kSecond));
  transport_.is_cut = true;
  EXPECT_TRUE(Dead().empty()) << "it has no log whose owner could be asked";
  const std::string log = store_paths::Log(places_.directory, id_);
  EXPECT_OK(lock_.fs.CreateDir(places_.directory));
  EXPECT_OK(lock_.fs.CreateDir(store_paths::Logs(places_.directory)));
  EXPECT_OK(lock_.fs.CreateDir(log));
  auto owner = lock_.fs.Lock(store_paths::LogOwner(log), "s1");
  ASSERT_TRUE(owner.ok()) << owner.status();
  EXPECT_TRUE(Dead().empty()) << "only its network is broken";
  owner->reset();
  transport_.is_cut = false;
  EXPECT_TRUE(Dead().empty()) << "not looked at";
  transport_.is_cut = true;
  EXPECT_EQ(Dead(), std::vector<ServerId>{id_});
}

TEST_F(FenceTest, L17_AServerRemovedByForceIsEndedWhereTheFileSystemCan) {
  BeginLog();
  places_.cluster = "0011";
  EXPECT_EQ(SecondsAfterForce(RecordOf("0011")), 0);
  EXPECT_EQ(ended_, "memory:1.0");
}

TEST_F(FenceTest, L17_AProcessOfAnotherClusterIsNotEnded) {
  BeginLog();
  places_.cluster = "0011";
  EXPECT_EQ(SecondsAfterForce(RecordOf("0012")), 6);
  EXPECT_EQ(ended_, "");
}

TEST_F(FenceTest, L17_AProcessOfAClusterOfOneIsNotEnded) {
  BeginLog();
  EXPECT_EQ(SecondsAfterForce(RecordOf("")), 6);
  EXPECT_EQ(ended_, "");
}

TEST_F(FenceTest, L17_AServerThatLeftByItselfIsNotEnded) {
  BeginLog();
  places_.cluster = "0011";
  Register(RecordOf("0011"));
  RecoveryActions actions(&places_, master_.get(), 7);
  EXPECT_OK(actions.Do(action::ListServers{}).status);
  EXPECT_OK(server_->Remove(lock_paths::Server(id_), 1));
  EXPECT_OK(actions.Do(action::FenceServer{id_, true}).status);
  EXPECT_EQ(SecondsUntilStopped(&actions), 6);
  EXPECT_EQ(ended_, "");
}

TEST_F(FenceTest, L17_AServerWhoseLeaseIsOverIsNotEnded) {
  BeginLog();
  places_.cluster = "0011";
  Register(RecordOf("0011"));
  EXPECT_OK(server_->Close());
  RecoveryActions actions(&places_, master_.get(), 7);
  EXPECT_OK(actions.Do(action::FenceServer{id_, false}).status);
  EXPECT_EQ(SecondsUntilStopped(&actions), 0);
  EXPECT_EQ(ended_, "");
}

}  // namespace
}  // namespace sippar::cluster::master
