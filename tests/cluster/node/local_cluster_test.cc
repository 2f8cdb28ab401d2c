// Servers, masters and a client of one cluster in one process, METADATA served by those very
// servers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "engine/base/crash_point.h"
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
  EXPECT_OK(cluster_->admin()->Split("t", RowOf(500)));
  EXPECT_EQ(TabletCount(), 4u);
  CheckAll();
  Write(400, 600, "b");
  EXPECT_OK(cluster_->admin()->Merge("t", {RowOf(0), RowOf(1500)}));
  EXPECT_EQ(TabletCount(), 2u);
  CheckAll();
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
  // Off the data path: tablets that are loaded are served meanwhile.
  Write(0, 3000, "b");
  EXPECT_OK(cluster_->WaitForMaster(20 * kSecond));
  EXPECT_OK(cluster_->admin()->Split("t", RowOf(1500)));
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
  // Its lease runs out, and the master looks for METADATA, which nobody serves any more.
  engine::Clock::System()->SleepMicros(3 * kSecond);
  int64_t begin_ns = engine::Clock::System()->MonotonicNanos();
  cluster_.reset();
  EXPECT_LT(engine::Clock::System()->MonotonicNanos() - begin_ns, 10 * kSecond * 1000);
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
  engine::CrashPoints::Arm({});  // no thread looks any more
  EXPECT_EQ(seen, 1 + 2);
  master::ActionPlaces places;
  places.fs = &disk_;
  places.directory = "/db";
  master::ActionJob job(places, session.get(), 1);
  EXPECT_CODE(job.CarryOut({1, master::action::SealLog{{"s3", 99}}}).status, StatusCode::kDataLoss);
}

}  // namespace
}  // namespace sippar::cluster
