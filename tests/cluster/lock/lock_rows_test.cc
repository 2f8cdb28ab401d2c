// Rows of FAULTS.md that are about the lock service itself, by name.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/membership.h"
#include "engine/base/random.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

// Two servers with the same identity (copied configuration).
TEST(LockRows, L10TheSecondServerOfANameIsRefusedAndToldWhoHasIt) {
  LockWorld world;
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

TEST(LockRows, L10AServerThatDiedMayComeBackUnderItsNameWithALaterEpoch) {
  LockWorld world;
  auto first = world.Session("ts1");
  ServerId old = RegisterServer(first.get(), "ts1", "")->id;
  EXPECT_OK(first->Close());
  auto second = world.Session("ts1");
  auto again = RegisterServer(second.get(), "ts1", "");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_GT(again->id.epoch, old.epoch);
  EXPECT_EQ(second->Read(lock_paths::Server(old))->holder, 0u) << "for the master to recover";
}

// The process crashes: the kernel frees the directory's lock, and no epoch comes twice.
TEST(LockRows, L11ASecondProcessIsRefusedWhileTheFirstLivesAndServedWhenItIsDead) {
  LockWorld world;
  Status refused = EmbeddedLockService::Open(&world.fs, "/lock", &world.clock).status();
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable) << refused;
  auto a = world.Session("a");
  EXPECT_OK(a->Create("master", "", LockFileKind::kLocked));
  a.reset();  // as by a crash: not closed, and its timeout is far away
  world.Restart();
  auto b = world.Session("b");
  EXPECT_OK(b->Acquire("master")) << "no lease to wait for: the holder is certainly dead";
}

TEST(LockRows, L11EpochsNeverRepeatWhateverIsLostInAPowerCut) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    engine::Random random(seed);
    engine::ManualClock clock(0);
    auto disk = std::make_unique<engine::MemoryFileSystem>();
    uint64_t last = 0;
    for (int life = 0; life < 6; ++life) {
      auto service = EmbeddedLockService::Open(disk.get(), "/lock", &clock).value();
      auto session = service->OpenSession({}).value();
      for (uint64_t n = random.Uniform(40); n > 0; --n) {
        uint64_t epoch = session->NextEpoch().value();
        EXPECT_GT(epoch, last) << "seed " << seed;
        last = epoch;
      }
      auto left = disk->CrashClone(&random);
      session.reset();
      service.reset();
      disk = std::move(left);
    }
  }
}

// An older copy of the directory is restored beside newer log directories: their names hold the
// highest epoch, a fresh epoch that is not above it gives the copy away, and raising repairs.
TEST(LockRows, X6AnOlderCopyIsNoticedByItsEpochsAndRaisedAboveThem) {
  LockWorld world;
  engine::Random random(1);
  auto a = world.Session("a");
  EXPECT_OK(a->Create("master", "", LockFileKind::kLocked));
  auto copy = world.fs.CrashClone(&random);
  uint64_t newest = 0;
  for (int i = 0; i < 100; ++i) newest = a->NextEpoch().value();

  auto restored = EmbeddedLockService::Open(copy.get(), "/lock", &world.clock).value();
  auto b = restored->OpenSession({}).value();
  EXPECT_LE(b->NextEpoch().value(), newest) << "noticed";
  EXPECT_OK(b->RaiseEpoch(newest));
  EXPECT_GT(b->NextEpoch().value(), newest);
  EXPECT_GT(b->Acquire("master").value(), newest) << "fences come from the same counter";
  uint64_t after = b->NextEpoch().value();
  EXPECT_OK(b->RaiseEpoch(3)) << "never down";
  EXPECT_GT(b->NextEpoch().value(), after);
  EXPECT_CODE(b->RaiseEpoch(uint64_t{1} << 32), StatusCode::kInvalidArgument);
  EXPECT_CODE(b->RaiseEpoch(UINT64_MAX), StatusCode::kInvalidArgument);
  EXPECT_OK(b->RaiseEpoch((uint64_t{1} << 32) - 40));
  StatusOr<uint64_t> epoch = after;
  for (int i = 0; i < 60 && epoch.ok(); ++i) epoch = b->NextEpoch();
  EXPECT_CODE(epoch, StatusCode::kResourceExhausted);
}

TEST(LockRows, X6ADirectoryWithoutItsCounterIsNotOpened) {
  LockWorld world;
  EXPECT_OK(world.Session("a")->Create("master", "", LockFileKind::kLasting));
  world.service.reset();
  ASSERT_TRUE(world.fs.Remove("/lock/epoch").ok());
  EXPECT_CODE(EmbeddedLockService::Open(&world.fs, "/lock", &world.clock), StatusCode::kDataLoss);
}

TEST(LockRows, X2ADirectoryOfSomethingElseIsNotTouched) {
  engine::MemoryFileSystem fs;
  engine::ManualClock clock(0);
  ASSERT_TRUE(fs.CreateDir("/data").ok());
  ASSERT_TRUE(engine::ReplaceFile(&fs, "/data/my notes", "text").ok());
  Status refused = EmbeddedLockService::Open(&fs, "/data", &clock).status();
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(refused.ToString().find("my notes"), std::string::npos) << refused;
}

// Two masters are started: one waits. Its turn comes with the other's end, whether closed or not,
// and what the first still tries to write is refused.
TEST(LockRows, X1OfTwoMastersOneWaitsAndFollows) {
  LockWorld world;
  auto one = world.Session("master 1", 10 * kSecond);
  auto two = world.Session("master 2", 30 * kSecond);
  EXPECT_OK(one->Create(lock_paths::MasterLock(), "", LockFileKind::kLasting));
  EXPECT_OK(one->Create(lock_paths::RootLocation(), "ts1.1", LockFileKind::kLasting));
  uint64_t first = one->Acquire(lock_paths::MasterLock()).value();
  bool told = false;
  EXPECT_OK(two->Watch(lock_paths::MasterLock(), [&] { told = true; }));
  EXPECT_CODE(two->Acquire(lock_paths::MasterLock()), StatusCode::kAlreadyExists);
  EXPECT_FALSE(told);
  world.Pass(10 * kSecond);  // master 1 is frozen
  EXPECT_OK(two->Heartbeat());
  EXPECT_TRUE(told);
  EXPECT_GT(two->Acquire(lock_paths::MasterLock()).value(), first);
  EXPECT_CODE(one->Write(lock_paths::RootLocation(), "ts2.2", 1), StatusCode::kFailedPrecondition);
  EXPECT_EQ(two->Read(lock_paths::RootLocation())->content, "ts1.1");
}

TEST(LockRows, X14ASecondClusterOnTheSameLockServiceIsRefused) {
  LockWorld world;
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

// The master decides that a server is dead: it takes the lock, so that the server cannot come back
// meanwhile, and removes the file, so that it never can (paper section 5.2).
TEST(LockRows, AServerIsDeclaredDeadByTakingItsLockAndRemovingItsFile) {
  LockWorld world;
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
