// The fault ladder of the lock directory: the n-th file system call fails, a power cut follows
// every sync and every crash point, every byte is flipped. Each change is visible entirely or not
// at all, acknowledged changes are visible, numbers never repeat, and damage affects only its own
// file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/crash_point.h"
#include "engine/base/random.h"
#include "engine/fs/fault_file_system.h"
#include "tests/cluster/lock/lock_history.h"

namespace sippar::cluster {
namespace {

// A history of changes to a directory.
class History {
 public:
  History(engine::FileSystem* fs, uint64_t seed) : fs_(fs), history_(seed) {}

  // Opens a service and makes `changes` changes. Returns false if opening failed.
  bool Live(int changes) {
    auto opened = EmbeddedLockService::Open(fs_, "/lock", &clock_);
    if (!opened.ok()) return LockHistory::Acceptable(opened.status());
    auto session = (*opened)->OpenSession({});
    if (!session.ok()) return LockHistory::Acceptable(session.status());
    history_.Gave((*session)->id());
    for (int i = 0; i < changes; ++i) history_.Change(session->get());
    return true;
  }

  // Checks what is left on the disk: its contents are allowed, and new numbers are above all
  // earlier ones.
  void CheckLeft(engine::FileSystem* left) const {
    auto opened = EmbeddedLockService::Open(left, "/lock", &clock_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    auto session = (*opened)->OpenSession({});
    ASSERT_TRUE(session.ok()) << session.status();
    history_.CheckLeft(session->get());
  }
  int changed() const { return history_.changed(); }

 private:
  engine::FileSystem* fs_;
  LockHistory history_;
  mutable engine::ManualClock clock_{0};
};

TEST(LockLadder, TheNthFileSystemCallFails) {
  for (const char* effect : {"fail", "torn", "full"}) {
    uint64_t faults = 1;
    for (uint64_t n = 1; faults > 0 && !HasFailure(); ++n) {
      SCOPED_TRACE(fmt::format("{} any * {}", effect, n));
      engine::MemoryFileSystem disk;
      engine::FaultFileSystem fs(&disk);
      fs.AddRule(engine::FaultRule::Parse(fmt::format("{} any * {}", effect, n)).value());
      History history(&fs, 7);
      (void)history.Live(12);
      faults = fs.faults();
      fs.ClearRules();
      history.CheckLeft(&fs);
      engine::Random random(n);
      auto left = disk.CrashClone(&random);
      if (!HasFailure()) history.CheckLeft(left.get());
      if (faults == 0) {
        EXPECT_EQ(history.changed(), 12);
        EXPECT_GT(n, 40u);
      }
    }
  }
}

TEST(LockLadder, APowerCutAfterEverySyncAndAtEveryCrashPoint) {
  uint64_t cuts = 0;
  for (uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    engine::MemoryFileSystem disk;
    engine::FaultFileSystem fs(&disk);
    History history(&fs, seed);
    engine::Random random(seed);
    bool cutting = false;  // true during CheckLeft, which passes crash points, too
    auto cut = [&] {
      if (testing::Test::HasFailure() || std::exchange(cutting, true)) return;
      SCOPED_TRACE(fmt::format("seed {} cut {}", seed, ++cuts));
      history.CheckLeft(disk.CrashClone(&random).get());
      cutting = false;
    };
    fs.OnSync(cut);
    engine::CrashPoints::Arm([&](const char*) { cut(); });
    for (int life = 0; life < 3; ++life) EXPECT_TRUE(history.Live(10));
    engine::CrashPoints::Arm(nullptr);
  }
  EXPECT_GT(cuts, 20u * 30 * 3);
}

TEST(LockLadder, AFlippedByteDamagesItsFileAndNoOther) {
  engine::MemoryFileSystem disk;
  engine::ManualClock clock(0);
  {
    auto service = EmbeddedLockService::Open(&disk, "/lock", &clock).value();
    auto session = service->OpenSession({}).value();
    for (const std::string& path : LockHistory::Paths()) {
      EXPECT_OK(session->Create(path, "content of " + path, LockFileKind::kLasting));
    }
  }
  for (const std::string& file : disk.AllFiles()) {
    std::string path = file.substr(std::string("/lock/").size());
    std::replace(path.begin(), path.end(), '+', '/');
    for (uint64_t offset = 0; offset < disk.FileSize(file).value(); ++offset) {
      SCOPED_TRACE(fmt::format("{} @{}", file, offset));
      char mask = static_cast<char>(1 << (offset % 8));
      disk.FlipByte(file, offset, mask);
      auto opened = EmbeddedLockService::Open(&disk, "/lock", &clock);
      if (path == "epoch") {
        EXPECT_CODE(opened, StatusCode::kDataLoss);
      } else {
        ASSERT_TRUE(opened.ok()) << opened.status();
        auto session = (*opened)->OpenSession({}).value();
        for (const std::string& each : LockHistory::Paths()) {
          auto read = session->Read(each);
          if (each != path) {
            EXPECT_EQ(read->content, "content of " + each);
            continue;
          }
          EXPECT_CODE(read, StatusCode::kDataLoss);
          EXPECT_CODE(session->Write(path, "", 1), StatusCode::kDataLoss);
          EXPECT_CODE(session->Create(path, "", LockFileKind::kLasting), StatusCode::kDataLoss);
          EXPECT_CODE(session->Acquire(path), StatusCode::kDataLoss);
          EXPECT_CODE(session->Remove(path, 1), StatusCode::kDataLoss);
        }
        for (const std::string directory : {"servers", "tables"}) {
          const bool has_it = path.starts_with(directory + "/");
          EXPECT_CODE(session->ReadDirectory(directory),
                      has_it ? StatusCode::kDataLoss : StatusCode::kOk);
          if (has_it)
            EXPECT_OK(session->ReadDirectory(directory, {path.substr(path.find('/') + 1)}));
        }
      }
      disk.FlipByte(file, offset, mask);
    }
  }
}

// A file under the name of another file is damage, not content (D15).
TEST(LockLadder, AFileUnderAnothersNameIsDamage) {
  LockWorld world;
  EXPECT_OK(world.Session("a")->Create("root", "1", LockFileKind::kLasting));
  EXPECT_OK(world.Session("a")->Create("master", "2", LockFileKind::kLasting));
  world.service.reset();
  ASSERT_TRUE(world.fs.Rename("/lock/root", "/lock/master").ok());
  world.Restart();
  EXPECT_CODE(world.Session("a")->Read("master"), StatusCode::kDataLoss);
}

// After a failure between rename and directory sync, the result of a power cut is unknown: changes
// stop, answers and leases continue, and reopening finds one of the two contents.
TEST(LockLadder, AfterAnUnsettledChangeThereAreNoMoreChangesUntilItIsOpenedAgain) {
  engine::MemoryFileSystem disk;
  engine::FaultFileSystem fs(&disk);
  engine::ManualClock clock(0);
  auto service = EmbeddedLockService::Open(&fs, "/lock", &clock).value();
  auto session = service->OpenSession({}).value();
  EXPECT_OK(session->Create("root", "old", LockFileKind::kLasting));
  fs.AddRule(engine::FaultRule::Parse("fail syncdir * 1").value());
  EXPECT_CODE(session->Write("root", "new", 1), StatusCode::kUnavailable);
  EXPECT_CODE(session->Write("root", "newer", 1), StatusCode::kUnavailable);
  EXPECT_CODE(session->Create("master", "", LockFileKind::kLasting), StatusCode::kUnavailable);
  EXPECT_EQ(session->Read("root")->content, "old");
  EXPECT_OK(session->Heartbeat());
  EXPECT_OK(session->Acquire("root")) << "locks are not on the disk";
  session.reset();
  service = nullptr;
  service = EmbeddedLockService::Open(&fs, "/lock", &clock).value();
  session = service->OpenSession({}).value();
  EXPECT_EQ(session->Read("root")->content, "new");
  EXPECT_OK(session->Write("root", "newer", 2));
}

}  // namespace
}  // namespace sippar::cluster
