// The fault ladder of the lock directory: the n-th file system call fails, a power cut after every
// sync and at every crash point, every byte flipped. Each change is there as before or as after it,
// acknowledged ones are there, numbers never repeat, and damage stays with its file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>

#include "engine/base/crash_point.h"
#include "engine/base/random.h"
#include "engine/fs/fault_file_system.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

using Contents = std::map<std::string, std::string>;  // "version content" by path

const std::vector<std::string> kPaths = {"master", "root", "servers/a.1", "tables/1"};

// A fixed history of changes on lasting files. Before each one `expected` forks into what may be
// there while it runs; after it, into what its answer allows.
class History {
 public:
  History(engine::FileSystem* fs, uint64_t seed) : fs_(fs), random_(seed) {}

  // Opens a service and makes `changes` changes. False: opening failed.
  bool Live(int changes) {
    auto opened = EmbeddedLockService::Open(fs_, "/lock", &clock_);
    if (!opened.ok()) return Acceptable(opened.status());
    auto session = (*opened)->OpenSession({});
    if (!session.ok()) return Acceptable(session.status());
    Gave((*session)->id());
    for (int i = 0; i < changes; ++i) Change(session->get());
    return true;
  }

  // On what is left of the disk: allowed contents, and numbers above all that were given.
  void CheckLeft(engine::FileSystem* left) const {
    auto opened = EmbeddedLockService::Open(left, "/lock", &clock_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    auto session = (*opened)->OpenSession({});
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_GT((*session)->id(), last_number_);
    Contents found = Read(session->get());
    EXPECT_TRUE(std::find(may_be_.begin(), may_be_.end(), found) != may_be_.end())
        << "found:" << Print(found) << "\nallowed first:" << Print(may_be_.front());
  }
  int changed() const { return changed_; }

 private:
  void Change(LockSession* session) {
    std::string path = kPaths[random_.Uniform(kPaths.size())];
    auto before = session->Read(path);
    Contents old = Read(session);
    Contents after = old;
    std::function<Status()> call;
    if (!before.ok()) {
      bool locked = random_.OneIn(2);
      std::string content = fmt::format("{}", random_.Next());
      after[path] = "1 " + content;
      call = [=] {
        return session
            ->Create(path, content, locked ? LockFileKind::kLocked : LockFileKind::kLasting)
            .status();
      };
    } else if (random_.OneIn(4)) {
      after.erase(path);
      call = [=] { return session->Remove(path, before->version); };
    } else if (random_.OneIn(3)) {
      call = [=] { return session->Acquire(path).status(); };
    } else {
      std::string content(random_.Uniform(2'000), 'x');
      after[path] = fmt::format("{} {}", before->version + 1, content);
      call = [=] { return session->Write(path, content, before->version).status(); };
    }
    bool on_disk = after != old;
    if (on_disk) may_be_.push_back(after);
    Status status = call();
    if (!status.ok()) EXPECT_TRUE(Acceptable(status)) << status;
    if (on_disk && status.ok()) may_be_ = {after};
    if (on_disk && status.code() == StatusCode::kResourceExhausted) may_be_.pop_back();
    if (status.ok()) ++changed_;
    EXPECT_EQ(Read(session), status.ok() ? after : old) << "visible is what was acknowledged";
    for (const std::string& each : kPaths) {
      auto file = session->Read(each);
      if (file.ok() && file->fence != 0) Gave(file->fence);
    }
    auto epoch = session->NextEpoch();
    if (epoch.ok()) Gave(*epoch);
  }

  static bool Acceptable(const Status& status) {
    return status.code() == StatusCode::kUnavailable ||
           status.code() == StatusCode::kResourceExhausted;
  }
  static Contents Read(LockSession* session) {
    Contents contents;
    for (const std::string& path : kPaths) {
      auto file = session->Read(path);
      if (file.ok()) contents[path] = fmt::format("{} {}", file->version, file->content);
    }
    return contents;
  }
  static std::string Print(const Contents& contents) {
    std::string text;
    for (const auto& [path, content] : contents) {
      text += fmt::format(" {}=({})", path, content.substr(0, 30));
    }
    return text;
  }
  void Gave(uint64_t number) { last_number_ = std::max(last_number_, number); }

  engine::FileSystem* fs_;
  engine::Random random_;
  mutable engine::ManualClock clock_{0};
  std::vector<Contents> may_be_ = {{}};
  uint64_t last_number_ = 0;
  int changed_ = 0;
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
    bool cutting = false;  // opening what is left passes crash points too
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
    for (const std::string& path : kPaths) {
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
        for (const std::string& each : kPaths) {
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
      }
      disk.FlipByte(file, offset, mask);
    }
  }
}

// A file under another's name is damage, not content (D15).
TEST(LockLadder, AFileUnderAnothersNameIsDamage) {
  LockWorld world;
  EXPECT_OK(world.Session("a")->Create("root", "1", LockFileKind::kLasting));
  EXPECT_OK(world.Session("a")->Create("master", "2", LockFileKind::kLasting));
  world.service.reset();
  ASSERT_TRUE(world.fs.Rename("/lock/root", "/lock/master").ok());
  world.Restart();
  EXPECT_CODE(world.Session("a")->Read("master"), StatusCode::kDataLoss);
}

// After a failure between rename and directory sync nobody knows what a power cut would leave:
// changes stop, answers and leases go on, opening anew finds one of the two.
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
