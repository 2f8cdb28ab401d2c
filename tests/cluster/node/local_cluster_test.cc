// Servers, masters and a client of one cluster in one process; these servers also serve METADATA.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/node/open_client.h"
#include "engine/base/crash_point.h"
#include "engine/tablet/state_file.h"
#include "tests/cluster/node/cluster_world.h"

namespace sippar::cluster {
namespace {

TEST_F(ClusterWorld, EmptyDirectoryBecomesACluster) {
  Start(1);
  CreateTable({});
  Write(0, 200, "a");
  CheckAll();
}

TEST_F(ClusterWorld, TabletsAreSpreadSplitAndMerged) {
  Start(3);
  CreateTable({RowOf(1000), RowOf(2000)});
  Write(0, 3000, "a");
  EXPECT_OK(cluster_->admin()->Do(calls::Split{"t", RowOf(500)}));
  EXPECT_EQ(TabletCount(), 4u);
  CheckAll();
  Write(400, 600, "b");
  EXPECT_OK(cluster_->admin()->Do(calls::Merge{"t", {RowOf(0), RowOf(1500)}}));
  EXPECT_EQ(TabletCount(), 2u);
  CheckAll();
}

// The client's cache still has the parent tablet.
TEST_F(ClusterWorld, TabletsAreThoseOfMetadataRightAfterASplit) {
  Start(1);
  CreateTable({});
  Write(0, 2000, "a");
  EXPECT_OK(cluster_->admin()->Do(calls::Flush{"t"}));
  auto before = cluster_->data()->Do(calls::ListTablets{"t"});
  ASSERT_TRUE(before.ok()) << before.status();
  ASSERT_EQ(before->size(), 1u);
  EXPECT_GT((*before)[0].stored_bytes, 0u);
  EXPECT_OK(cluster_->admin()->Do(calls::Split{"t", RowOf(1000)}));
  auto after = cluster_->data()->Do(calls::ListTablets{"t"});
  ASSERT_TRUE(after.ok()) << after.status();
  ASSERT_EQ(after->size(), 2u);
  EXPECT_EQ((*after)[0].range, (engine::RowRange{"", RowOf(1000)}));
  EXPECT_EQ((*after)[1].range, (engine::RowRange{RowOf(1000), ""}));
  uint64_t stored = 0;
  for (const TabletInfo& tablet : *after) {
    EXPECT_EQ(tablet.state, "online");
    EXPECT_GT(tablet.stored_bytes, 0u) << tablet.range.start;
    stored += tablet.stored_bytes;
  }
  EXPECT_LT(stored, 2 * (*before)[0].stored_bytes);
}

TEST_F(ClusterWorld, ServersAreListedWithTheirTablets) {
  Start(2);
  std::set<std::string> names;
  auto tablets = [&] {
    names.clear();
    uint64_t sum = 0;
    const auto servers = cluster_->admin()->Do(calls::ListServers{});
    EXPECT_TRUE(servers.ok()) << servers.status();
    for (const ServerInfo& server : *servers) {
      EXPECT_GT(server.id.epoch, 0u);
      names.insert(server.id.name);
      sum += server.tablet_count;
    }
    return sum;
  };
  uint64_t of_metadata = 0;
  while (names.size() < 2) of_metadata = tablets();  // the master finds servers when it looks
  EXPECT_EQ(names, (std::set<std::string>{"s1", "s2"}));
  CreateTable({RowOf(1000), RowOf(2000)});
  Write(0, 3000, "a");
  EXPECT_EQ(tablets(), of_metadata + 3);
  Crash("s2");
  Write(0, 3000, "b");  // s1 has then taken over the tablets of s2
  uint64_t left = 0;
  do left = tablets();
  while (names.size() > 1);
  EXPECT_EQ(left, of_metadata + 3);
  EXPECT_EQ(names, (std::set<std::string>{"s1"}));
}

TEST_F(ClusterWorld, DeadServersTabletsAreServedByTheOthers) {
  Start(3);
  CreateTable({RowOf(1000), RowOf(2000)});
  Write(0, 3000, "a");
  Crash("s2");
  Write(500, 2500, "b");
  CheckAll();
  Crash("s1");
  Write(0, 100, "c");
  CheckAll();
}

TEST_F(ClusterWorld, AnotherMasterFinishesWhatTheFirstBegan) {
  Start(3);
  CreateTable({RowOf(1000), RowOf(2000)});
  Write(0, 3000, "a");
  EXPECT_OK(cluster_->StartMaster("m2"));
  Crash("s3");
  cluster_->StopMaster("m1");
  // The master is not on the data path: loaded tablets are served meanwhile.
  Write(0, 3000, "b");
  EXPECT_OK(cluster_->WaitForMaster(20 * kSecond));
  EXPECT_OK(cluster_->admin()->Do(calls::Split{"t", RowOf(1500)}));
  CheckAll();
}

TEST_F(ClusterWorld, CleanEndLeavesNoLogToRecover) {
  Start(3);
  CreateTable({RowOf(1000), RowOf(2000)});
  Write(0, 3000, "a");
  EXPECT_OK(cluster_->CloseAll());
  for (int round = 0; round < 2; ++round) {
    Start(2);
    CheckAll();
    Write(0, 500, fmt::format("round {}", round));
    EXPECT_OK(cluster_->CloseAll());
  }
}

TEST_F(ClusterWorld, WhatAMasterWaitsForEndsWithIt) {
  Start(1);
  CreateTable({});
  Write(0, 100, "a");
  cluster_->CrashServer("s1");
  // The lease runs out, and the master looks for METADATA, which no server serves any more.
  engine::Clock::System()->SleepMicros(3 * kSecond);
  int64_t begin_ns = engine::Clock::System()->MonotonicNanos();
  cluster_.reset();
  EXPECT_LT(engine::Clock::System()->MonotonicNanos() - begin_ns, 10 * kSecond * 1000);
}

// An answer without metrics would mean a cluster without servers.
TEST_F(ClusterWorld, FiguresComeFromAMasterThatReignsAlone) {
  Start(2);
  Crash("s1");  // the master does not know about it yet
  EXPECT_OK(cluster_->admin()->Do(calls::Metrics{}));
  EXPECT_OK(cluster_->admin()->Do(calls::Compactions{}));
  EXPECT_OK(cluster_->admin()->Do(calls::HotTablets{0, INT64_MAX}));
  cluster_->StopMaster("m1");
  EXPECT_CODE(cluster_->admin()->Do(calls::Metrics{}), StatusCode::kUnavailable);
  EXPECT_CODE(cluster_->admin()->Do(calls::Compactions{}), StatusCode::kUnavailable);
  EXPECT_CODE(cluster_->admin()->Do(calls::HotTablets{0, INT64_MAX}), StatusCode::kUnavailable);
}

TEST_F(ClusterWorld, AllServersDieAtOnce) {
  Start(3);
  CreateTable({RowOf(1000), RowOf(2000)});
  for (int round = 0; round < 2; ++round) {
    Write(500 * round, 3000 - 200 * round, fmt::format("round {}", round));
    for (const char* name : {"s1", "s2", "s3"}) Crash(name);
    cluster_.reset();
    Start(3);
    CheckAll();
  }
}

TEST_F(ClusterWorld, FilesThatNobodyNamesAreSweptWhileServersLive) {
  policy_.garbage_us = 200'000;
  policy_.trash_us = 0;
  Start(2);
  CreateTable({RowOf(1000)});
  for (int round = 0; round < 4; ++round) {
    Write(0, 2000, fmt::format("round {}", round));
    EXPECT_OK(cluster_->admin()->Do(calls::Compact{"t", ""}));
  }
  auto named = [&] {
    std::set<std::string> names;
    EXPECT_OK(cluster_->metadata()->Scan(kMetadataTableId, UINT64_MAX - 1, [&](const auto& record) {
      for (uint64_t id : record.state.FileIds()) names.insert(fmt::format("{:016x}.sst", id));
      return true;
    }));
    return names;
  };
  auto stored = [&] {
    auto names = disk_.List("/db/sst");
    EXPECT_OK(names);
    return std::set<std::string>(names->begin(), names->end());
  };
  for (int i = 0; i < 200 && stored() != named(); ++i) {
    engine::Clock::System()->SleepMicros(50'000);
  }
  EXPECT_EQ(stored(), named());
  CheckAll();
}

TEST_F(ClusterWorld, WhatAReaderHasIsNotSweptBelowIt) {
  policy_.garbage_us = 100'000;
  policy_.trash_us = 0;
  Start(1);
  CreateTable({});
  Write(0, 500, "old");
  EXPECT_OK(cluster_->admin()->Do(calls::Compact{"t", ""}));
  ReadSpec read;
  read.rows = engine::RowSet::All();
  auto cells = cluster_->data()->Read("t", read, {});
  EXPECT_OK(cells);
  std::vector<uint64_t> old;
  EXPECT_OK(
      cluster_->metadata()->Scan(kMetadataTableId + 1, UINT64_MAX - 1, [&](const auto& record) {
        old = record.state.FileIds();
        return true;
      }));
  ASSERT_FALSE(old.empty());
  Write(0, 500, "new");
  EXPECT_OK(cluster_->admin()->Do(calls::Compact{"t", ""}));
  auto is_there = [&] { return *disk_.Exists(fmt::format("/db/sst/{:016x}.sst", old.front())); };
  engine::Clock::System()->SleepMicros(kSecond);  // time for some sweeps
  EXPECT_TRUE(is_there());
  EXPECT_EQ(*cluster_->server("s1")->Control()->Do(calls::HeldFiles{old}), old);
  for (; (*cells)->Valid(); (*cells)->NextRow()) {
    EXPECT_TRUE((*cells)->cell().value.ends_with("old"));
  }
  EXPECT_OK((*cells)->status());
  cells->reset();
  EXPECT_TRUE(cluster_->server("s1")->Control()->Do(calls::HeldFiles{old})->empty());
  for (int i = 0; i < 200 && is_there(); ++i) engine::Clock::System()->SleepMicros(50'000);
  EXPECT_FALSE(is_there());
}

// A master that was frozen assigns a tablet to a server that meanwhile died, was recovered and
// swept.
TEST_F(ClusterWorld, ASweptLogIsKnownToHaveBeenNeededByNobody) {
  std::shared_ptr<LockSession> session = *locks_->OpenSession({"test", 0});
  master::ActionJob job(Places(), session.get(), 1);
  const ServerId swept{"s1", 7};
  const ServerId lost{"s2", 8};
  const std::string path = store_paths::SealedLog("/db", swept);
  for (const char* name : {"/db/sst", "/db/wal"}) EXPECT_OK(disk_.CreateDir(name));
  EXPECT_OK(disk_.CreateDir(path));
  EXPECT_OK(engine::WriteStateFile(&disk_, path + "/segment", 1, "content"));
  auto seal = [&](const ServerId& server) {
    return job.CarryOut({1, master::action::SealLog{server}}).status;
  };
  const int64_t wall_us = engine::Clock::System()->NowMicros();
  EXPECT_OK(job.CarryOut({1, master::action::TrashFiles{{}, {swept}, {}, wall_us}}).status);
  EXPECT_OK(seal(swept));
  EXPECT_OK(job.CarryOut({1, master::action::PurgeTrash{0, {}, 0, wall_us}}).status);
  auto names = disk_.List("/db/wal");
  ASSERT_EQ(names->size(), 1u);
  EXPECT_TRUE(disk_.List("/db/wal/" + names->front())->empty());
  EXPECT_OK(seal(swept));
  EXPECT_CODE(seal(lost), StatusCode::kDataLoss);
}

TEST_F(ClusterWorld, AHotTabletIsSplitAndOneHalfMoves) {
  policy_.balance_us = 200'000;
  policy_.split_calls = 100;
  Start(2);
  CreateTable({});
  auto servers = [&] {
    auto table = cluster_->admin()->Do(calls::GetTable{"t"});
    EXPECT_OK(table);
    std::set<ServerId> all;
    EXPECT_OK(cluster_->metadata()->Scan(table->table_id, table->table_id, [&](const auto& record) {
      all.insert(record.server);
      return true;
    }));
    return all;
  };
  EXPECT_EQ(servers().size(), 1u);
  for (int round = 0; round < 200 && servers().size() < 2; ++round) {
    Write(0, 1000, fmt::format("round {}", round));
    engine::Clock::System()->SleepMicros(20'000);
  }
  EXPECT_EQ(servers().size(), 2u);
  CheckAll();
}

TEST_F(ClusterWorld, AServerThatMayNotAcknowledgeIsReplacedWhenItsLeaseEnds) {
  Start(2);
  CreateTable({RowOf(1000)});
  Write(0, 2000, "a");
  // Renames the log as a stopped master would in a recovery that it resumes much later.
  ServerId id = cluster_->server("s1")->id();
  EXPECT_OK(disk_.Rename(store_paths::Log("/db", id), store_paths::SealedLog("/db", id)));
  const int64_t began_ns = engine::Clock::System()->MonotonicNanos();
  Write(0, 2000, "b");
  EXPECT_LT(engine::Clock::System()->MonotonicNanos() - began_ns, 10'000'000'000);
  CheckAll();
}

TEST_F(ClusterWorld, AFamilyMadeAnewIsEmptyAndItsTabletsMerge) {
  Start(2);
  CreateTable({});
  auto alter = [&](const std::function<void(engine::TableSchema*)>& change) {
    auto table = cluster_->admin()->Do(calls::GetTable{"t"});
    ASSERT_TRUE(table.ok()) << table.status();
    change(&table->schema);
    table->schema.Normalize();
    EXPECT_OK(cluster_->admin()->Do(calls::AlterTable{table->schema, table->schema_version}));
  };
  auto add = [&](engine::TableSchema* schema) {
    schema->families.push_back({"g", engine::FamilyType::kBytes, {}});
  };
  auto drop = [&](engine::TableSchema* schema) {
    std::erase_if(schema->families, [](const auto& family) { return family.name == "g"; });
    for (engine::LocalityGroupSchema& group : schema->groups) std::erase(group.families, "g");
  };
  auto put = [&](int row, const std::string& value) {
    EXPECT_OK(cluster_->data()->Apply("t", RowMutation(RowOf(row)).Set("g", "", value)));
  };
  auto get = [&] {
    ReadSpec read;
    read.columns = {engine::ColumnPattern::Exact("g", "")};
    std::string text;
    auto cells = cluster_->data()->Read("t", read, {});
    EXPECT_OK(cells);
    for (; (*cells)->Valid(); (*cells)->Next()) text += std::string((*cells)->cell().value) + " ";
    EXPECT_OK((*cells)->status());
    return text;
  };
  alter(add);
  EXPECT_OK(cluster_->admin()->Do(calls::Split{"t", RowOf(100)}));
  put(1, "left");
  put(150, "right");
  EXPECT_EQ(get(), "left right ");
  for (int i = 0; i < 10; ++i) put(2, "so that the numbers of the two differ");
  alter(drop);
  alter(add);
  EXPECT_EQ(get(), "");
  put(3, "new");
  EXPECT_OK(cluster_->admin()->Do(calls::Merge{"t", RowRange::All()}));
  EXPECT_EQ(TabletCount(), 1u);
  EXPECT_EQ(get(), "new ");
}

TEST_F(ClusterWorld, ALifeThatIsKnownHasALogAndALogThatIsGoneIsALoss) {
  std::shared_ptr<LockSession> session = *locks_->OpenSession({"test", 0});
  int seen = 0;
  engine::CrashPoints::Arm([&](const char* name) {
    if (std::string_view(name) != "server.after_register") return;
    auto files = session->List(lock_paths::Servers());
    for (const std::string& file : *files) {
      EXPECT_TRUE(*disk_.Exists(store_paths::Log("/db", *ServerId::Parse(file)))) << file;
      ++seen;
    }
  });
  Start(2);
  cluster_.reset();
  engine::CrashPoints::Arm({});  // no thread reads it any more
  EXPECT_EQ(seen, 1 + 2);
  master::ActionJob job(Places(), session.get(), 1);
  EXPECT_CODE(job.CarryOut({1, master::action::SealLog{{"s3", 99}}}).status, StatusCode::kDataLoss);
}

// METADATA names a dead server until the master has read it: reads and writes wait.
TEST(ClusterOfOne, CallsRightAfterAStartWaitForTheirTablets) {
  engine::MemoryFileSystem disk;
  engine::TableSchema schema;
  schema.name = "t";
  schema.families.emplace_back().name = "f";
  schema.Normalize();
  std::vector<std::string> rows;
  for (char c = 'a'; c <= 'z'; ++c) rows.emplace_back(1, c);
  ClientOptions options;
  options.fs = &disk;
  options.create_if_missing = true;
  for (int life = 0; life < 5; ++life) {
    auto client = OpenClient("/db", options);
    ASSERT_TRUE(client.ok()) << client.status();
    if (life == 0) EXPECT_OK((*client)->admin()->Do(calls::CreateTable{schema, rows}));
    for (const std::string& row : rows) {
      EXPECT_OK((*client)->data()->Apply("t", RowMutation(row).Set("f", "q", "v")));
    }
    if (life % 2 == 0) EXPECT_OK((*client)->Close());
  }
}

}  // namespace
}  // namespace sippar::cluster
