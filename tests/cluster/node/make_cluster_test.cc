// `sippar admin init` of an empty directory: its decisions, concurrent runs, kills at each crash
// point, and directories of other clusters, which are rejected.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/make_cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <thread>
#include <vector>

#include "cluster/lock/lock_paths.h"
#include "cluster/node/bootstrap.h"
#include "cluster/node/embedded_node.h"
#include "engine/base/crash_point.h"
#include "engine/base/random.h"
#include "engine/fs/fault_file_system.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

constexpr char kTarget[] = "zk://h:1/c";

// The disks as a program that was killed at `point` leaves them.
struct Disks {
  std::string point;
  std::unique_ptr<engine::MemoryFileSystem> locks;
  std::unique_ptr<engine::MemoryFileSystem> store;
};

class MakeClusterTest : public testing::Test {
 protected:
  MakeClusterTest() {
    EXPECT_OK(disk_.CreateDir("/srv"));
    EXPECT_OK(disk_.SyncDir("/"));
    locks_ = OpenLocks(&lock_disk_);
  }
  ~MakeClusterTest() override { engine::CrashPoints::Arm(nullptr); }

  static std::unique_ptr<LockService> OpenLocks(engine::FileSystem* disk) {
    return EmbeddedLockService::Open(disk, "/lock", engine::Clock::System()).value();
  }
  static ClusterPlan Plan(LockService* locks, engine::FileSystem* fs,
                          const std::string& directory = "/srv/c") {
    return {locks, fs, kTarget, {directory}};
  }
  ClusterPlan Plan(const std::string& directory = "/srv/c") {
    return Plan(locks_.get(), &disk_, directory);
  }
  static std::string Known(LockService* locks, const std::string& path) {
    auto session = locks->OpenSession({"test", 0}).value();
    auto file = session->Read(path);
    return file.ok() ? file->content : file.status().ToString();
  }
  static ClientOptions OptionsOf(engine::FileSystem* fs, bool create) {
    ClientOptions options;
    options.fs = fs;
    options.create_if_missing = create;
    options.memory_limit = 64 << 20;
    return options;
  }
  // Checks that the cluster is complete, and that lock service and directory agree on it.
  static void ExpectComplete(LockService* locks, engine::FileSystem* fs) {
    EXPECT_EQ(Known(locks, lock_paths::Store()), "posix:/srv/c");
    EXPECT_EQ(Known(locks, lock_paths::ClusterId()), ReadClusterId(fs, "/srv/c").value());
    for (const char* name : {"/srv/c/wal", "/srv/c/sst", "/srv/c/TARGET"}) {
      EXPECT_EQ(fs->Exists(name).value(), true) << name;
    }
  }

  engine::MemoryFileSystem disk_;
  engine::MemoryFileSystem lock_disk_;
  std::unique_ptr<LockService> locks_;
};

TEST_F(MakeClusterTest, ASecondInitChangesNothing) {
  EXPECT_EQ(MakeClusterOf(Plan()).value(), true);
  ExpectComplete(locks_.get(), &disk_);
  const std::vector<std::string> files = disk_.AllFiles();
  const std::vector<std::string> known = lock_disk_.AllFiles();
  EXPECT_EQ(MakeClusterOf(Plan()).value(), false);
  EXPECT_EQ(disk_.AllFiles(), files);
  EXPECT_EQ(lock_disk_.AllFiles(), known);
}

TEST_F(MakeClusterTest, AnEmptyMountPointIsRefusedAndStaysEmpty) {
  EXPECT_EQ(MakeClusterOf(Plan()).value(), true);
  engine::MemoryFileSystem elsewhere;
  EXPECT_OK(elsewhere.CreateDir("/srv"));
  EXPECT_CODE(MakeClusterOf(Plan(locks_.get(), &elsewhere)), StatusCode::kFailedPrecondition);
  EXPECT_OK(elsewhere.CreateDir("/srv/c"));
  Status refused = MakeClusterOf(Plan(locks_.get(), &elsewhere)).status();
  EXPECT_NE(MessageOf(refused).find("/srv/c/CLUSTER is missing"), std::string::npos) << refused;
  EXPECT_NE(MessageOf(refused).find("or, if it is mounted, put the file back"), std::string::npos);
  EXPECT_TRUE(elsewhere.AllFiles().empty());
}

TEST_F(MakeClusterTest, AForeignDirectoryIsRefusedByName) {
  EXPECT_OK(disk_.CreateDir("/srv/c"));
  EXPECT_OK(engine::ReplaceFile(&disk_, "/srv/c/letters.txt", "dear"));
  const std::vector<std::string> files = disk_.AllFiles();
  Status refused = MakeClusterOf(Plan()).status();
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(MessageOf(refused).find("letters.txt"), std::string::npos) << refused;
  EXPECT_EQ(disk_.AllFiles(), files);
  EXPECT_CODE(locks_->OpenSession({"test", 0}).value()->Read(lock_paths::ClusterId()),
              StatusCode::kNotFound);
}

TEST_F(MakeClusterTest, X17_AMountThatAnswersFromCachesIsRefusedUnlessAllowed) {
  engine::FaultFileSystem mount(&disk_);
  ClusterPlan plan = Plan(locks_.get(), &mount);
  for (const char* kind : {"nfs", "smb", "9p", "afs"}) {
    mount.SetKind(kind);
    const Status refused = MakeClusterOf(plan).status();
    EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
    EXPECT_NE(MessageOf(refused).find(fmt::format("found {},", kind)), std::string::npos);
    EXPECT_NE(MessageOf(refused).find("--store-unsafe"), std::string::npos) << refused;
    EXPECT_TRUE(disk_.AllFiles().empty());
  }
  plan.allows_unsafe_store = true;
  EXPECT_EQ(MakeClusterOf(plan).value(), true);
  plan.allows_unsafe_store = false;
  EXPECT_CODE(MakeClusterOf(plan), StatusCode::kFailedPrecondition);
  for (const char* kind : {"ceph", "fuse", "other"}) {
    mount.SetKind(kind);
    EXPECT_EQ(MakeClusterOf(plan).value(), false) << kind;
  }
}

TEST_F(MakeClusterTest, ADirectoryOfAnotherClusterIsRefused) {
  EXPECT_EQ(MakeClusterOf(Plan()).value(), true);
  engine::MemoryFileSystem other_disk;
  auto other = OpenLocks(&other_disk);
  EXPECT_CODE(MakeClusterOf(Plan(other.get(), &disk_)), StatusCode::kFailedPrecondition);
  EXPECT_CODE(MakeClusterOf(Plan("/srv/other")), StatusCode::kFailedPrecondition);
  EXPECT_EQ(disk_.Exists("/srv/other").value(), false);
}

// Two programs run init concurrently: in every interleaving they make one cluster.
TEST_F(MakeClusterTest, InitsThatRaceMakeOneCluster) {
  for (int round = 0; round < 50; ++round) {
    engine::MemoryFileSystem disk;
    engine::MemoryFileSystem lock_disk;
    EXPECT_OK(disk.CreateDir("/srv"));
    auto locks = OpenLocks(&lock_disk);
    std::array<StatusOr<bool>, 3> made = {false, false, false};
    std::vector<std::thread> threads;
    for (auto& answer : made) {
      threads.emplace_back([&] { answer = MakeClusterOf(Plan(locks.get(), &disk)); });
    }
    for (std::thread& thread : threads) thread.join();
    int makers = 0;
    for (const auto& answer : made) {
      EXPECT_OK(answer);
      makers += answer.ok() && *answer ? 1 : 0;
    }
    EXPECT_EQ(makers, 1);
    ExpectComplete(locks.get(), &disk);
  }
}

TEST_F(MakeClusterTest, OfTwoInitsWithTwoDirectoriesOneIsRefused) {
  std::array<StatusOr<bool>, 2> made = {false, false};
  std::thread first([&] { made[0] = MakeClusterOf(Plan("/srv/a")); });
  std::thread second([&] { made[1] = MakeClusterOf(Plan("/srv/b")); });
  first.join();
  second.join();
  EXPECT_NE(made[0].ok(), made[1].ok());
  const StatusOr<bool>& refused = made[0].ok() ? made[1] : made[0];
  EXPECT_CODE(refused, StatusCode::kFailedPrecondition);
}

TEST_F(MakeClusterTest, ItCanBeKilledAtEachPointAndRepeated) {
  std::vector<Disks> kills;
  engine::Random random(7);
  engine::CrashPoints::Arm([&](const char* name) {
    kills.push_back({name, lock_disk_.CrashClone(&random), disk_.CrashClone(&random)});
  });
  EXPECT_EQ(MakeClusterOf(Plan()).value(), true);
  engine::CrashPoints::Arm(nullptr);
  std::set<std::string> points;
  for (const Disks& kill : kills) {
    SCOPED_TRACE(kill.point);
    points.insert(kill.point);
    auto locks = OpenLocks(kill.locks.get());
    EXPECT_OK(MakeClusterOf(Plan(locks.get(), kill.store.get())));
    ExpectComplete(locks.get(), kill.store.get());
  }
  for (const char* name : {"init.after_mark", "init.before_publish", "init.after_claim",
                           "init.after_target", "init.after_id", "init.before_store"}) {
    EXPECT_TRUE(points.contains(name)) << name;
  }
}

// At each point of an init, another program opens the directory as a store of its own: one of the
// two is rejected, and the other's result is complete.
TEST_F(MakeClusterTest, OfAnInitAndAProgramThatOpensTheDirectoryOneIsRefused) {
  int opened = 0;
  int refused = 0;
  for (int at = 0;; ++at) {
    engine::MemoryFileSystem disk;
    engine::MemoryFileSystem lock_disk;
    EXPECT_OK(disk.CreateDir("/srv"));
    EXPECT_OK(disk.SyncDir("/"));
    auto locks = OpenLocks(&lock_disk);
    int passed = 0;
    StatusOr<std::unique_ptr<Client>> client = NotFound("not yet");
    engine::CrashPoints::Arm([&](const char*) {
      if (passed++ != at) return;
      engine::CrashPoints::Arm(nullptr);
      client = OpenEmbedded("/srv/c", OptionsOf(&disk, true));
    });
    auto made = MakeClusterOf(Plan(locks.get(), &disk));
    engine::CrashPoints::Arm(nullptr);
    if (passed <= at) break;
    SCOPED_TRACE(at);
    EXPECT_NE(client.ok(), made.ok());
    if (made.ok()) {
      ++refused;
      ExpectComplete(locks.get(), &disk);
      continue;
    }
    ++opened;
    EXPECT_OK((*client)->Close());
    EXPECT_OK(OpenEmbedded("/srv/c", OptionsOf(&disk, false)));
  }
  EXPECT_GT(opened, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(MakeClusterTest, TheDirectoryIsNoProgramsOwn) {
  EXPECT_EQ(MakeClusterOf(Plan()).value(), true);
  const std::vector<std::string> files = disk_.AllFiles();
  for (bool create : {false, true}) {
    Status refused = OpenEmbedded("/srv/c", OptionsOf(&disk_, create)).status();
    EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
    EXPECT_EQ(MessageOf(refused),
              "store /srv/c: it belongs to cluster zk://h:1/c; use that as the target");
  }
  EXPECT_EQ(disk_.AllFiles(), files);
  EXPECT_EQ(disk_.Exists("/srv/c/lock").value(), false);
}

TEST(DecideMaking, EachDirectoryHasOneAnswer) {
  struct Row {
    DirectoryLook look;
    std::string known;
    StatusOr<Making> answer;
  };
  const Status refused = FailedPrecondition("refused");
  const std::string other = "zk://h:1/other";
  const std::vector<Row> rows = {
      {{false, "", "", {}}, "", Making::kFill},
      {{false, "", kTarget, {}}, "1", Making::kFill},
      {{false, "1", kTarget, {}}, "1", Making::kFill},
      {{false, "1", other, {}}, "1", Making::kFill},  // another address of the same lock service
      {{false, "1", kTarget, {}}, "", refused},
      {{false, "2", kTarget, {}}, "1", refused},
      {{false, "", other, {}}, "1", refused},
      {{false, "", "", {"lock"}}, "", refused},
      {{true, "1", "", {"lock"}}, "", Making::kCarry},
      {{true, "1", "", {"lock"}}, "1", Making::kCarry},
      {{true, "1", "", {"lock"}}, "2", refused},
      {{true, "1", kTarget, {"lock"}}, "1", Making::kFinish},
      // The cluster's lock files are lost, so it must not be carried again.
      {{true, "1", kTarget, {"lock"}}, "", refused},
      {{true, "1", kTarget, {"lock"}}, "2", refused},
      {{true, "1", other, {"lock"}}, "1", refused},
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    auto answer = DecideMaking(rows[i].look, "/srv/c", kTarget, rows[i].known);
    EXPECT_EQ(answer.status().code(), rows[i].answer.status().code()) << i;
    if (answer.ok() && rows[i].answer.ok()) EXPECT_EQ(*answer, *rows[i].answer) << i;
  }
}

// A cluster that has served has files in wal/ and sst/; its directory still belongs to it.
TEST(DecideMaking, TheDataOfAnotherClusterIsRefusedByItsName) {
  const std::string other = "zk://h:1/other";
  Status refused = DecideMaking({false, "2", other, {"wal"}}, "/srv/c", kTarget, "").status();
  EXPECT_EQ(MessageOf(refused),
            "store /srv/c: it belongs to cluster zk://h:1/other; use that as the target");
  refused = DecideMaking({false, "2", "", {"wal"}}, "/srv/c", kTarget, "1").status();
  EXPECT_EQ(MessageOf(refused),
            "store /srv/c: its cluster id is '2', but zk://h:1/c has the id '1'; repeat the "
            "command with an empty directory");
}

// The remedy is one that DecideMaking accepts.
TEST(DecideMaking, TheRefusalOfAStoreSaysAWayThatIsOpen) {
  Status refused = DecideMaking({true, "1", "", {"lock"}}, "/srv/c", kTarget, "2").status();
  EXPECT_EQ(MessageOf(refused),
            "store /srv/c: its cluster id is '1', but zk://h:1/c has the id '2'; repeat the "
            "command with another NAME in zk://HOSTS/NAME, or with an empty directory");
  refused = DecideMaking({true, "1", kTarget, {"lock"}}, "/srv/c", kTarget, "").status();
  EXPECT_EQ(MessageOf(refused),
            "store /srv/c: its cluster id is '1', but zk://h:1/c knows no cluster; `sippar admin "
            "doctor /srv/c` says the way back");
}

}  // namespace
}  // namespace sippar::cluster
