// Rows of FAULTS.md about the directory of the embedded lock service, by name.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/lock_paths.h"
#include "cluster/lock/membership.h"
#include "engine/base/random.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

// After a crash of the process, the kernel frees the lock of the directory, and no epoch is used
// twice.
TEST(EmbeddedLockRows, L11ASecondProcessIsRefusedWhileTheFirstLivesAndServedWhenItIsDead) {
  LockWorld world;
  Status refused = EmbeddedLockService::Open(&world.fs, "/lock", &world.clock).status();
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable) << refused;
  auto a = world.Session("a");
  EXPECT_OK(a->Create("master", "", LockFileKind::kLocked));
  a.reset();  // not closed, as in a crash; its timeout is far away
  world.Restart();
  auto b = world.Session("b");
  EXPECT_OK(b->Acquire("master")) << "no lease to wait for: the holder is certainly dead";
}

TEST(EmbeddedLockRows, L11EpochsNeverRepeatWhateverIsLostInAPowerCut) {
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

// An older copy of the directory is restored next to newer log directories, whose names contain the
// highest epoch. A new epoch that is not above it reveals the copy; raising the epoch repairs it.
TEST(EmbeddedLockRows, X6AnOlderCopyIsNoticedByItsEpochsAndRaisedAboveThem) {
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

TEST(EmbeddedLockRows, X6ADirectoryWithoutItsCounterIsNotOpened) {
  LockWorld world;
  EXPECT_OK(world.Session("a")->Create("master", "", LockFileKind::kLasting));
  world.service.reset();
  ASSERT_TRUE(world.fs.Remove("/lock/epoch").ok());
  EXPECT_CODE(EmbeddedLockService::Open(&world.fs, "/lock", &world.clock), StatusCode::kDataLoss);
}

TEST(EmbeddedLockRows, X2ADirectoryOfSomethingElseIsNotTouched) {
  engine::MemoryFileSystem fs;
  engine::ManualClock clock(0);
  ASSERT_TRUE(fs.CreateDir("/data").ok());
  ASSERT_TRUE(engine::ReplaceFile(&fs, "/data/my notes", "text").ok());
  Status refused = EmbeddedLockService::Open(&fs, "/data", &clock).status();
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(refused.ToString().find("my notes"), std::string::npos) << refused;
}

}  // namespace
}  // namespace sippar::cluster
