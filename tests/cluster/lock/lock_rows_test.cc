// Rows of FAULTS.md about the lock service itself, by name.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/membership.h"
#include "tests/cluster/lock/contract_world.h"

namespace sippar::cluster {
namespace {

class LockRowsTest : public InContractWorld {};

// Two servers start with the same identity (a copied configuration).
TEST_F(LockRowsTest, L10TheSecondServerOfANameIsRefusedAndToldWhoHasIt) {
  auto first = world.Session("ts1 at host1");
  auto second = world.Session("ts1 at host2");
  auto registered = RegisterServer(first.get(), "ts1", "host1:4000");
  ASSERT_TRUE(registered.ok()) << registered.status();
  EXPECT_EQ(first->Read(registered->path)->fence, registered->fence);
  Status refused = RegisterServer(second.get(), "ts1", "host2:4000").status();
  EXPECT_EQ(refused.code(), StatusCode::kAlreadyExists);
  EXPECT_NE(refused.ToString().find(registered->id.ToString()), std::string::npos) << refused;
  EXPECT_NE(refused.ToString().find("host1:4000"), std::string::npos) << refused;
  EXPECT_EQ(second->List("servers").value(), std::vector<std::string>{registered->id.ToString()});
  EXPECT_OK(RegisterServer(second.get(), "ts2", "host2:4000"));
}

// The first life stalls between its epoch and its file, and the second one starts meanwhile.
TEST_F(LockRowsTest, L10OneThatStalledGivesWayToALifeWithALaterEpoch) {
  auto first = world.Session("ts1 at host1");
  auto second = world.Session("ts1 at host2");
  StatusOr<Registration> later = Unavailable("it has not started");
  Status refused = RegisterServer(first.get(), "ts1", "host1:4000", [&](const ServerId& id) {
                     later = RegisterServer(second.get(), "ts1", "host2:4000");
                     EXPECT_TRUE(later.ok() && later->id.epoch > id.epoch) << later.status();
                     return OkStatus();
                   }).status();
  EXPECT_CODE(refused, StatusCode::kAlreadyExists);
  EXPECT_NE(refused.ToString().find("host2:4000"), std::string::npos) << refused;
  ASSERT_TRUE(later.ok());
  EXPECT_EQ(second->List("servers").value(), std::vector<std::string>{later->id.ToString()});
}

// As above, but the second life has ended again.
TEST_F(LockRowsTest, L10OneThatStalledStaysIfTheLifeWithALaterEpochHasEnded) {
  auto first = world.Session("ts1 at host1");
  auto second = world.Session("ts1 at host2");
  auto stays = RegisterServer(first.get(), "ts1", "host1:4000", [&](const ServerId&) {
    EXPECT_OK(RegisterServer(second.get(), "ts1", "host2:4000"));
    return second->Close();
  });
  EXPECT_TRUE(stays.ok()) << stays.status();
}

TEST_F(LockRowsTest, L10AServerThatDiedMayComeBackUnderItsNameWithALaterEpoch) {
  auto first = world.Session("ts1");
  ServerId old = RegisterServer(first.get(), "ts1", "")->id;
  EXPECT_OK(first->Close());
  auto second = world.Session("ts1");
  auto again = RegisterServer(second.get(), "ts1", "");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_GT(again->id.epoch, old.epoch);
  EXPECT_EQ(second->Read(lock_paths::Server(old))->holder, 0u) << "for the master to recover";
}

// Of two masters, one waits. It follows when the other ends, closed or not, and later writes of the
// first are rejected.
TEST_F(LockRowsTest, X1OfTwoMastersOneWaitsAndFollows) {
  auto one = world.Session("master 1", 10 * kSecond);
  auto two = world.Session("master 2", 30 * kSecond);
  EXPECT_OK(one->Create(lock_paths::MasterLock(), "", LockFileKind::kLasting));
  EXPECT_OK(one->Create(lock_paths::RootLocation(), "ts1.1", LockFileKind::kLasting));
  uint64_t first = one->Acquire(lock_paths::MasterLock()).value();
  bool told = false;
  EXPECT_OK(two->Watch(lock_paths::MasterLock(), [&] { told = true; }));
  EXPECT_CODE(two->Acquire(lock_paths::MasterLock()), StatusCode::kAlreadyExists);
  EXPECT_FALSE(told);
  world.Pass(10 * kSecond);  // master 1 does not renew its session, as if frozen
  EXPECT_OK(two->Heartbeat());
  EXPECT_TRUE(told);
  EXPECT_GT(two->Acquire(lock_paths::MasterLock()).value(), first);
  EXPECT_CODE(one->Write(lock_paths::RootLocation(), "ts2.2", 1), StatusCode::kFailedPrecondition);
  EXPECT_EQ(two->Read(lock_paths::RootLocation())->content, "ts1.1");
}

TEST_F(LockRowsTest, X14ASecondClusterOnTheSameLockServiceIsRefused) {
  auto a = world.Session("a");
  EXPECT_CODE(JoinCluster(a.get(), "blue", false), StatusCode::kFailedPrecondition);
  EXPECT_OK(JoinCluster(a.get(), "blue", true));
  EXPECT_OK(JoinCluster(a.get(), "blue", true));
  EXPECT_OK(JoinCluster(a.get(), "blue", false));
  for (bool create : {false, true}) {
    Status refused = JoinCluster(a.get(), "green", create);
    EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
    EXPECT_NE(refused.ToString().find("blue"), std::string::npos) << refused;
    EXPECT_NE(refused.ToString().find("green"), std::string::npos) << refused;
  }
}

// The master decides that a server is dead: it takes the server's lock, so that the server cannot
// return meanwhile, and removes the file, so that it never can (paper section 5.2).
TEST_F(LockRowsTest, AServerIsDeclaredDeadByTakingItsLockAndRemovingItsFile) {
  auto server = world.Session("ts1", 10 * kSecond);
  auto master = world.Session("master", 100 * kSecond);
  auto registered = RegisterServer(server.get(), "ts1", "").value();
  EXPECT_CODE(master->Acquire(registered.path), StatusCode::kAlreadyExists) << "it lives";
  world.Pass(10 * kSecond);
  EXPECT_GT(master->Acquire(registered.path).value(), registered.fence);
  auto back = world.Session("ts1 again", 10 * kSecond);
  EXPECT_CODE(back->Acquire(registered.path), StatusCode::kAlreadyExists);
  EXPECT_OK(master->Remove(registered.path, master->Read(registered.path)->version));
  EXPECT_CODE(back->Acquire(registered.path), StatusCode::kNotFound);
}

}  // namespace
}  // namespace sippar::cluster
