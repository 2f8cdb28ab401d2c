// Requests of an administrator to a cluster: its status, moves, draining servers, balancing,
// events.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/member_record.h"
#include "cluster/master/act/standing_orders.h"
#include "tests/cluster/node/cluster_world.h"

namespace sippar::cluster {
namespace {

using testing::HasSubstr;

class ClusterAdminTest : public ClusterWorld {
 protected:
  ClusterHealth Health() {
    auto health = cluster_->admin()->Do(calls::ClusterStatus{});
    EXPECT_TRUE(health.ok()) << health.status();
    return health.ok() ? *health : ClusterHealth();
  }
  // Returns the first status within 20 s that is as wanted; otherwise fails and returns the last
  // one.
  template <class Wanted>
  ClusterHealth Await(const Wanted& wanted) {
    for (int i = 0; i < 1'000; ++i) {
      ClusterHealth health = Health();
      if (wanted(health)) return health;
      engine::Clock::System()->SleepMicros(20'000);
    }
    ADD_FAILURE() << "the status is not as wanted after 20 s";
    return Health();
  }
  static bool IsHealthyWith(const ClusterHealth& health, size_t live) {
    auto count = std::count_if(health.servers.begin(), health.servers.end(),
                               [](const ServerStatus& server) { return server.state == "live"; });
    return health.healthy && static_cast<size_t>(count) == live;
  }
  static ServerStatus Find(const ClusterHealth& health, const std::string& name) {
    for (const ServerStatus& server : health.servers) {
      if (server.id.name == name) return server;
    }
    ADD_FAILURE() << "no server " << name;
    return {};
  }
  std::string ServerOf(const std::string& row) {
    auto tablets = cluster_->data()->Do(calls::ListTablets{"t"});
    EXPECT_TRUE(tablets.ok()) << tablets.status();
    for (const TabletInfo& tablet : *tablets) {
      if (tablet.range.Contains(row)) return tablet.server;
    }
    return "";
  }
  Status Move(const std::string& row, const std::string& server, const std::string& table = "t") {
    return cluster_->admin()->Do(calls::MoveTablet{table, row, server});
  }
};

TEST_F(ClusterAdminTest, TheStatusCountsServersAndTablets) {
  Start(2);
  CreateTable({RowOf(100)});
  Write(0, 200, "a");
  ClusterHealth health = Await([](const ClusterHealth& now) { return IsHealthyWith(now, 2); });
  EXPECT_FALSE(health.cluster.id.empty());
  EXPECT_EQ(health.master.name, "m1");
  EXPECT_TRUE(health.master.is_running);
  EXPECT_EQ(health.tablets.total, 4u);  // two of them belong to METADATA
  EXPECT_EQ(health.tablets.online, 4u);
  EXPECT_EQ(Find(health, "s1").tablets + Find(health, "s2").tablets, 4u);
  // Members without addresses are shown without one.
  EXPECT_EQ(Find(health, "s1").member.address, "");
  health = Await([](const ClusterHealth& now) {
    return Find(now, "s1").memtable_bytes + Find(now, "s2").memtable_bytes > 0;
  });
  EXPECT_TRUE(health.masters.empty());
}

// Without another server the log cannot be sorted, so the recovery is still running when the test
// asks.
TEST_F(ClusterAdminTest, TheStatusShowsADeathAndItsRecovery) {
  Start(1);
  CreateTable({RowOf(100)});
  Write(0, 200, "a");
  const std::string dead = ServerOf(RowOf(0));
  Crash("s1");
  ClusterHealth health = Await([](const ClusterHealth& now) {
    return !now.recoveries.empty() && now.recoveries[0].stage == "sort";
  });
  ASSERT_FALSE(health.recoveries.empty());
  EXPECT_FALSE(health.healthy);
  EXPECT_EQ(health.recoveries[0].server.ToString(), dead);
  EXPECT_EQ(Find(health, "s1").state, "recovering");
  EXPECT_EQ(health.tablets.online, 0u);
  ASSERT_EQ(health.unserved.size(), 4u);
  EXPECT_EQ(health.unserved[3].table, "t");
  EXPECT_EQ(health.unserved[3].range, (engine::RowRange{RowOf(100), ""}));
  EXPECT_EQ(health.unserved[3].state, "recovering");
  EXPECT_THAT(health.unserved[3].why, HasSubstr("server " + dead + " has ended"));
  StartServer("s2");
  health = Await([](const ClusterHealth& now) { return IsHealthyWith(now, 1); });
  EXPECT_TRUE(health.unserved.empty());
  CheckAll();
}

TEST_F(ClusterAdminTest, MembersAreShownAsTheyAreReached) {
  Start(1);
  // Writes the member files as the processes of a cluster do.
  auto session = locks_->OpenSession({"masters"});
  ASSERT_TRUE(session.ok()) << session.status();
  auto record = [](uint16_t port, const std::string& machine, uint32_t pid) {
    MemberRecord made;
    made.host = "127.0.0.1";
    made.port = port;
    made.machine = machine;
    made.pid = pid;
    return made;
  };
  const MemberRecord reigning = record(7001, "host-a", 11);
  const MemberRecord standing_by = record(7002, "host-b", 12);
  EXPECT_OK((*session)
                ->Create(lock_paths::Master("m1"), reigning.Encode(), LockFileKind::kEphemeral)
                .status());
  EXPECT_OK((*session)
                ->Create(lock_paths::Master("m2"), standing_by.Encode(), LockFileKind::kEphemeral)
                .status());
  auto lock = (*session)->Read(lock_paths::MasterLock());
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_OK((*session)->Write(lock_paths::MasterLock(), reigning.Encode(), lock->version).status());
  const ClusterHealth health = Health();
  EXPECT_EQ(health.master.member.address, "127.0.0.1:7001");
  EXPECT_EQ(health.master.member.machine, "host-a");
  EXPECT_EQ(health.master.member.pid, 11u);
  ASSERT_EQ(health.masters.size(), 2u);
  EXPECT_EQ(health.masters[0].name, "m1");
  EXPECT_TRUE(health.masters[0].reigns);
  EXPECT_EQ(health.masters[1].member.address, "127.0.0.1:7002");
  EXPECT_FALSE(health.masters[1].reigns);
}

TEST_F(ClusterAdminTest, AMoveReturnsWhenTheServerServesTheTablet) {
  Start(3);
  CreateTable({RowOf(100)});
  Write(0, 200, "a");
  Await([](const ClusterHealth& now) { return IsHealthyWith(now, 3); });
  EXPECT_OK(cluster_->admin()->Do(calls::SetBalancing{false}));
  for (const char* name : {"s1", "s2", "s3", "s3"}) {
    EXPECT_OK(Move(RowOf(7), name));
    EXPECT_TRUE(ServerOf(RowOf(7)).starts_with(name)) << ServerOf(RowOf(7));
  }
  EXPECT_OK(Move(RowOf(7), Find(Health(), "s2").id.ToString()));
  EXPECT_TRUE(ServerOf(RowOf(7)).starts_with("s2."));
  CheckAll();
}

TEST_F(ClusterAdminTest, TabletsOfMetadataMoveToo) {
  Start(2);
  CreateTable({RowOf(100)});
  for (const char* name : {"s1", "s2", "s1"}) {
    EXPECT_OK(Move("", name, kMetadataName));          // the root tablet
    EXPECT_OK(Move("\xff\xff", name, kMetadataName));  // the last tablet of METADATA
    auto record = cluster_->metadata()->Find(kMetadataTableId, "");
    ASSERT_TRUE(record.ok()) << record.status();
    EXPECT_EQ(record->server.name, name);
    Write(0, 200, name);
  }
  CheckAll();
}

TEST_F(ClusterAdminTest, AMoveThatCannotBeSaysWhy) {
  Start(2);
  CreateTable({});
  Status status = Move("a", "s9");
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("live servers: s1."));
  EXPECT_EQ(Move("a", "s1", "nosuch").code(), StatusCode::kNotFound);
  EXPECT_EQ(Move("a", "s1.1000000").code(), StatusCode::kNotFound);
  EXPECT_OK(cluster_->admin()->Do(calls::DrainServer{"s2", true}));
  status = Move("a", "s2");
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("draining"));
}

TEST_F(ClusterAdminTest, ADrainedServerEmptiesAndALaterMasterKnowsIt) {
  Start(2);
  CreateTable({RowOf(50), RowOf(100), RowOf(150)});
  Write(0, 200, "a");
  Await([](const ClusterHealth& now) { return IsHealthyWith(now, 2); });
  EXPECT_OK(cluster_->admin()->Do(calls::DrainServer{"s1", true}));
  ClusterHealth health =
      Await([](const ClusterHealth& now) { return Find(now, "s1").tablets == 0 && now.healthy; });
  EXPECT_EQ(Find(health, "s1").state, "draining");
  EXPECT_EQ(health.orders.drained, std::vector<std::string>{"s1"});
  // The last server cannot be drained.
  EXPECT_EQ(cluster_->admin()->Do(calls::DrainServer{"s2", true}).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_OK(cluster_->StartMaster("m2"));
  cluster_->StopMaster("m1");
  ASSERT_OK_(cluster_->WaitForMaster(20 * kSecond));
  health = Health();
  EXPECT_EQ(health.master.name, "m2");
  EXPECT_EQ(health.orders.drained, std::vector<std::string>{"s1"});
  EXPECT_EQ(Find(health, "s1").tablets, 0u);
  CheckAll();
  EXPECT_OK(cluster_->admin()->Do(calls::DrainServer{"s1", false}));
  EXPECT_EQ(Find(Health(), "s1").state, "live");
  EXPECT_EQ(cluster_->admin()->Do(calls::DrainServer{"s9", false}).code(), StatusCode::kNotFound);
  EXPECT_OK(Move(RowOf(0), "s1"));
}

TEST_F(ClusterAdminTest, BalancingIsAnOrderThatStands) {
  Start(1);
  EXPECT_TRUE(Health().orders.balancing);
  EXPECT_OK(cluster_->admin()->Do(calls::SetBalancing{false}));
  EXPECT_FALSE(Health().orders.balancing);
  EXPECT_OK(cluster_->admin()->Do(calls::BalanceNow{}));
  EXPECT_FALSE(Health().orders.balancing);
  EXPECT_OK(cluster_->admin()->Do(calls::SetBalancing{true}));
  EXPECT_TRUE(Health().orders.balancing);
}

TEST_F(ClusterAdminTest, APlannedMoveIsAnEventThatNamesBothServers) {
  Start(2);
  CreateTable({RowOf(100)});
  Await([](const ClusterHealth& now) { return IsHealthyWith(now, 2); });
  EXPECT_OK(cluster_->admin()->Do(calls::SetBalancing{false}));
  EXPECT_OK(Move(RowOf(0), "s1"));
  EXPECT_OK(Move(RowOf(0), "s2"));
  auto events = cluster_->admin()->Do(calls::TabletEvents{"t"});
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_FALSE(events->empty());
  const ClusterHealth health = Health();
  const TabletEventInfo* moved = nullptr;
  for (const TabletEventInfo& event : *events) {
    EXPECT_EQ(event.table, "t");
    EXPECT_NE(event.tablet_id, 0u);
    if (event.kind == "assigned" && event.range.start.empty()) moved = &event;
  }
  ASSERT_NE(moved, nullptr);
  EXPECT_EQ(moved->range.limit, RowOf(100));
  EXPECT_THAT(moved->text, HasSubstr(Find(health, "s2").id.ToString() + " by master "));
  EXPECT_THAT(moved->text, HasSubstr(", moved from " + Find(health, "s1").id.ToString()));
  EXPECT_TRUE(std::is_sorted(events->begin(), events->end(),
                             [](const auto& a, const auto& b) { return a.time_us < b.time_us; }));
  auto all = cluster_->admin()->Do(calls::TabletEvents{""});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_GT(all->size(), events->size());
  EXPECT_EQ(cluster_->admin()->Do(calls::TabletEvents{"nosuch"}).status().code(),
            StatusCode::kNotFound);
}

TEST_F(ClusterAdminTest, WithoutAMasterNobodyAnswers) {
  Start(1);
  cluster_->StopMaster("m1");
  EXPECT_EQ(cluster_->admin()->Do(calls::ClusterStatus{}).status().code(),
            StatusCode::kUnavailable);
}

TEST(StandingOrdersTest, ComeBackFromTheirTextAndUnknownLinesAreLeftOut) {
  const StandingOrders orders{false, {"a", "b-2"}};
  EXPECT_EQ(master::DecodeOrders(master::EncodeOrders(orders)), orders);
  EXPECT_EQ(master::DecodeOrders(""), StandingOrders());
  EXPECT_EQ(master::EncodeOrders(StandingOrders()), "");
  EXPECT_EQ(master::DecodeOrders("something else\ndrained b\ndrained a").drained,
            (std::vector<std::string>{"a", "b"}));
}

TEST(StandingOrdersTest, ALaterVersionsLinesAreKept) {
  const std::string before = "pace 7\nbalancing off\ndrained a\n\nzone z1 drained b";
  const std::string after = master::EncodeOrders({true, {"c"}}, before);
  EXPECT_EQ(after, "drained c\npace 7\nzone z1 drained b\n");
  EXPECT_EQ(master::EncodeOrders({}, after), "pace 7\nzone z1 drained b\n");
}

TEST_F(ClusterAdminTest, AChangeOfTheOrdersKeepsTheLinesOfALaterVersion) {
  Start(1);
  auto admin = cluster_->admin();
  EXPECT_OK(admin->Do(calls::PutRecord{master::kOrdersRecord, "pace 7\n", 0}));
  EXPECT_OK(admin->Do(calls::SetBalancing{false}));
  auto record = admin->Do(calls::GetRecord{master::kOrdersRecord});
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->body, "balancing off\npace 7\n");
}

}  // namespace
}  // namespace sippar::cluster
