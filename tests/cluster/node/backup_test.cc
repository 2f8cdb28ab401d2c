// Backups in a cluster: the files of a backup outlive the table, its servers and the master that
// made the backup.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "cluster/api/store_paths.h"
#include "engine/tablet/state_file.h"
#include "tests/cluster/node/cluster_world.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kHour = int64_t{3600} * kSecond;

class ClusterBackupTest : public ClusterWorld {
 protected:
  LocalClusterOptions Options() override {
    LocalClusterOptions options = ClusterWorld::Options();
    options.policy.garbage_us = garbage_us_;
    options.policy.trash_us = 0;
    return options;
  }
  static int64_t Now() { return engine::Clock::System()->NowMicros(); }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    auto all = cluster_->admin()->Do(calls::ListBackups{});
    EXPECT_OK(all);
    for (const BackupInfo& info : *all) names.push_back(info.name);
    return names;
  }
  std::vector<std::string> Files() { return *disk_.List(store_paths::Sstables("/db")); }
  size_t CountGone(const std::vector<std::string>& files) {
    std::vector<std::string> now = Files();
    return static_cast<size_t>(std::count_if(files.begin(), files.end(), [&](const auto& file) {
      return std::find(now.begin(), now.end(), file) == now.end();
    }));
  }

  int64_t garbage_us_ = 600 * kSecond;
};

TEST_F(ClusterBackupTest, ATableIsRestoredAsItWas) {
  Start(2);
  CreateTable({RowOf(100), RowOf(200)});
  Write(0, 300, "a");
  auto made = cluster_->admin()->Do(calls::CreateBackup{"b", "t", Now() + kHour});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->source_table, "t");
  EXPECT_GT(made->size_bytes, 0u);
  EXPECT_GE(made->ended_us, made->started_us);
  auto expected = expected_;
  Write(0, 300, "after");
  EXPECT_CODE(cluster_->admin()->Do(calls::RestoreTable{"b", "t"}), StatusCode::kAlreadyExists);
  EXPECT_OK(cluster_->admin()->Do(calls::DropTable{"t"}));
  EXPECT_OK(cluster_->admin()->Do(calls::RestoreTable{"b", "t"}));
  expected_ = expected;
  CheckAll();
  EXPECT_EQ(TabletCount(), 3u);
  // The restored table is an ordinary table and survives a crash.
  EXPECT_OK(cluster_->admin()->Do(calls::Merge{"t", RowRange::All()}));
  Write(50, 250, "b");
  Crash("s1");
  CheckAll();
  EXPECT_OK(cluster_->admin()->Do(calls::Compact{"t", ""}));
  CheckAll();
}

// If a restore returned at its caller's deadline, the table would be created without the record
// that keeps the backup's files. Only a call that comes too late to begin is rejected.
TEST_F(ClusterBackupTest, ARestoreThatHasBegunIsAnsweredWhenItsTableExists) {
  Start(1);
  CreateTable({RowOf(100), RowOf(200)});
  Write(0, 300, "a");
  EXPECT_OK(cluster_->admin()->Do(calls::CreateBackup{"b", "t", Now() + kHour}));
  Status restored = DeadlineExceeded("");
  for (int64_t timeout_us = 100; restored.code() == StatusCode::kDeadlineExceeded;
       timeout_us *= 2) {
    restored = cluster_->admin()->Do(calls::RestoreTable{"b", "u"}, {nullptr, timeout_us});
  }
  EXPECT_OK(restored);  // kAlreadyExists: an earlier attempt was answered at its deadline
  EXPECT_OK(cluster_->admin()->Do(calls::GetTable{"u"}));
}

TEST_F(ClusterBackupTest, AProtectedTableStaysAndComesBackUnprotected) {
  Start(1);
  CreateTable({});
  Write(0, 100, "a");
  auto table = cluster_->admin()->Do(calls::GetTable{"t"});
  ASSERT_TRUE(table.ok()) << table.status();
  table->schema.options[engine::kProtectedOption] = "TRUE";
  EXPECT_OK(cluster_->admin()->Do(calls::AlterTable{table->schema, table->schema_version}));
  EXPECT_CODE(cluster_->admin()->Do(calls::DropAndKeepTable{"t", kHour}),
              StatusCode::kFailedPrecondition);
  EXPECT_OK(cluster_->admin()->Do(calls::CreateBackup{"b", "t", Now() + kHour}));
  EXPECT_OK(cluster_->admin()->Do(calls::RestoreTable{"b", "r"}));
  EXPECT_OK(cluster_->admin()->Do(calls::DropTable{"r"}));
  CheckAll();
}

TEST_F(ClusterBackupTest, TheSweepCountsTheirNames) {
  garbage_us_ = kSecond / 2;
  Start(1);
  CreateTable({RowOf(100)});
  Write(0, 200, "a");
  EXPECT_OK(cluster_->admin()->Do(calls::CreateBackup{"b", "t", Now() + kHour}));
  Write(0, 200, "not in the backup");
  auto expected = expected_;
  for (auto& [row, value] : expected) value = value.substr(0, value.find(' ')) + " a";
  EXPECT_OK(cluster_->admin()->Do(calls::Flush{"t"}));
  const std::vector<std::string> before = Files();
  EXPECT_OK(cluster_->admin()->Do(calls::DropTable{"t"}));
  // Files of a server's ended life may be deleted, except those that the backup names.
  StartServer("s2");
  EXPECT_OK(cluster_->StopServer("s1"));
  for (int i = 0; i < 300 && CountGone(before) == 0; ++i) {
    engine::Clock::System()->SleepMicros(50'000);
  }
  engine::Clock::System()->SleepMicros(4 * garbage_us_);
  EXPECT_EQ(CountGone(before), 2u);
  EXPECT_OK(cluster_->admin()->Do(calls::RestoreTable{"b", "t"}));
  expected_ = expected;
  CheckAll();
  EXPECT_OK(cluster_->admin()->Do(calls::Verify{"t"}));
  // The restored table names its files itself.
  EXPECT_OK(cluster_->admin()->Do(calls::DeleteBackup{"b"}));
  EXPECT_CODE(cluster_->admin()->Do(calls::GetBackup{"b"}).status(), StatusCode::kNotFound);
  CheckAll();
}

TEST_F(ClusterBackupTest, AManifestThatCannotBeReadStopsTheSweepVisibly) {
  garbage_us_ = kSecond / 5;
  Start(1);
  CreateTable({});
  Write(0, 100, "a");
  EXPECT_OK(cluster_->admin()->Do(calls::CreateBackup{"b", "t", Now() + kHour}));
  const std::string folder = store_paths::Backups("/db");
  const std::string path = folder + "/" + disk_.List(folder)->front();
  EXPECT_OK(engine::WriteStateFile(&disk_, path, engine::kBackupMagic, "not a manifest"));
  const std::vector<std::string> before = Files();
  Write(0, 100, "b");
  EXPECT_OK(cluster_->admin()->Do(calls::Compact{"t", ""}));  // now only the backup names its files
  auto errors = [&] { return cluster_->admin()->Do(calls::Metrics{}).value()["sweep_errors"]; };
  for (int i = 0; i < 200 && errors() < 3; ++i) engine::Clock::System()->SleepMicros(50'000);
  EXPECT_GE(errors(), 3u);
  EXPECT_EQ(CountGone(before), 0u);
  Status listed = cluster_->admin()->Do(calls::ListBackups{}).status();
  EXPECT_TRUE(MessageOf(listed).find(path) != std::string_view::npos) << listed;
  EXPECT_OK(disk_.Remove(path));
  for (int i = 0; i < 200 && CountGone(before) == 0; ++i) {
    engine::Clock::System()->SleepMicros(50'000);
  }
  EXPECT_GT(CountGone(before), 0u);
  CheckAll();
}

TEST_F(ClusterBackupTest, TheyAreKnownToTheNextMasterAndEndWithTheirTime) {
  Start(1);
  CreateTable({});
  Write(0, 100, "a");
  EXPECT_OK(cluster_->admin()->Do(calls::CreateBackup{"b", "t", Now() + kHour}));
  EXPECT_OK(cluster_->admin()->Do(calls::CopyBackup{"b", "c", Now() + kHour}));
  EXPECT_CODE(cluster_->admin()->Do(calls::CopyBackup{"b", "c", Now() + kHour}).status(),
              StatusCode::kAlreadyExists);
  EXPECT_CODE(cluster_->admin()->Do(calls::CreateBackup{"b", "t", Now() + kHour}).status(),
              StatusCode::kAlreadyExists);
  EXPECT_CODE(cluster_->admin()->Do(calls::CreateBackup{"d", "none", Now() + kHour}).status(),
              StatusCode::kNotFound);
  EXPECT_CODE(cluster_->admin()->Do(calls::RestoreTable{"none", "u"}), StatusCode::kNotFound);
  EXPECT_OK(cluster_->StartMaster("m2"));
  cluster_->StopMaster("m1");
  EXPECT_OK(cluster_->WaitForMaster(20 * kSecond));
  EXPECT_EQ(Names(), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(cluster_->admin()->Do(calls::GetBackup{"c"})->source_backup, "b");
  EXPECT_OK(cluster_->admin()->Do(calls::SetBackupExpiry{"b", Now() + 1}));
  engine::Clock::System()->SleepMicros(1'000);
  EXPECT_EQ(Names(), (std::vector<std::string>{"c"}));
  EXPECT_EQ(disk_.List(store_paths::Backups("/db"))->size(), 4u);  // each with its mark
  std::shared_ptr<LockSession> session = *locks_->OpenSession({"test", 0});
  master::ActionPlaces places;
  places.fs = &disk_;
  places.clock = engine::Clock::System();
  places.directory = "/db";
  EXPECT_OK(master::ActionJob(places, session.get(), 1)
                .CarryOut({1, master::action::PurgeTrash{kHour, {}, 0, Now()}})
                .status);
  EXPECT_EQ(disk_.List(store_paths::Backups("/db"))->size(), 2u);
  EXPECT_OK(cluster_->admin()->Do(calls::RestoreTable{"c", "u"}));
}

// Works also under the next master, and for writes that only logs have. The table's files survive
// sweeps.
TEST_F(ClusterBackupTest, ADroppedTableCanBeHadBackUntilItsTimeIsOver) {
  garbage_us_ = kSecond / 2;
  Start(2);
  CreateTable({RowOf(100)});
  Write(0, 200, "a");
  auto expected = expected_;
  EXPECT_OK(cluster_->admin()->Do(calls::DropAndKeepTable{"t", kHour}));
  EXPECT_CODE(cluster_->admin()->Do(calls::DropAndKeepTable{"t", kHour}), StatusCode::kNotFound);
  EXPECT_CODE(cluster_->data()->Apply("t", RowMutation("r").Set("f", "q", "late")),
              StatusCode::kNotFound);
  CreateTable({});  // the name is free again
  EXPECT_CODE(cluster_->admin()->Do(calls::UndeleteTable{"t"}), StatusCode::kAlreadyExists);
  EXPECT_OK(cluster_->admin()->Do(calls::DropAndKeepTable{"t", kHour}));
  EXPECT_OK(cluster_->StartMaster("m2"));
  cluster_->StopMaster("m1");
  EXPECT_OK(cluster_->WaitForMaster(20 * kSecond));
  EXPECT_OK(cluster_->admin()->Do(calls::UndeleteTable{"t"}));  // the second table
  EXPECT_EQ(cluster_->admin()->Do(calls::GetTable{"t"})->tablet_count, 1u);
  EXPECT_OK(cluster_->admin()->Do(calls::DropTable{"t"}));
  Crash("s1");
  Crash("s2");
  StartServer("s3");
  EXPECT_OK(cluster_->StopServer("s3"));
  StartServer("s4");
  engine::Clock::System()->SleepMicros(4 * garbage_us_);
  EXPECT_OK(cluster_->admin()->Do(calls::UndeleteTable{"t"}));
  expected_ = expected;
  CheckAll();
  EXPECT_OK(cluster_->admin()->Do(calls::Verify{"t"}));
  EXPECT_OK(cluster_->admin()->Do(calls::DropAndKeepTable{"t", 1}));
  engine::Clock::System()->SleepMicros(kSecond / 5);
  EXPECT_CODE(cluster_->admin()->Do(calls::UndeleteTable{"t"}), StatusCode::kNotFound);
}

}  // namespace
}  // namespace sippar::cluster
