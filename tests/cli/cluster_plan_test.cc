// What `sippar cluster` decides to run.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace sippar::cli {
namespace {

ClusterPlan Plan(int members) {
  ClusterSettings settings;
  settings.servers = 2;
  settings.members = members;
  settings.port = 7000;
  return PlanCluster("/lab", settings, {"/bin/sippar", "/zookeeper.jar"});
}

// The result is part of `plan`.
const PlannedProcess& Named(const ClusterPlan& plan, const std::string& name) {
  for (const PlannedProcess& process : plan.processes) {
    if (process.name == name) return process;
  }
  ADD_FAILURE() << "no process " << name;
  return plan.processes.front();
}

cluster::ClusterHealth Healthy() {
  cluster::ClusterHealth health;
  health.healthy = true;
  health.master.is_running = true;
  for (uint64_t number : {1, 2}) {
    cluster::ServerStatus server;
    server.id = {"ts" + std::to_string(number), 3};
    server.member.pid = 10 + number;
    server.state = "live";
    health.servers.push_back(server);
    cluster::MasterCandidate master;
    master.name = "m" + std::to_string(number);
    master.member.pid = 20 + number;
    health.masters.push_back(master);
  }
  return health;
}

const ClusterPids kPids = {{"ts1", 11}, {"ts2", 12}, {"m1", 21}, {"m2", 22}};

TEST(ClusterPlanTest, ZooKeeperComesFirstAndTheGatewayLast) {
  std::vector<std::string> names;
  for (const PlannedProcess& process : Plan(3).processes) names.push_back(process.name);
  EXPECT_EQ(names, (std::vector<std::string>{"zk1", "zk2", "zk3", "ts1", "ts2", "m1", "m2", "g1"}));
}

TEST(ClusterPlanTest, TheTargetNamesAllMembers) {
  EXPECT_EQ(Plan(1).target, "zk://127.0.0.1:7001/local");
  EXPECT_EQ(Plan(3).target, "zk://127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003/local");
  EXPECT_EQ(Plan(3).gateway, "127.0.0.1:7000");
  EXPECT_EQ(Plan(3).store, "posix:/lab/store");
}

TEST(ClusterPlanTest, NoTwoProcessesHaveTheSamePort) {
  std::set<int> ports;
  size_t count = 0;
  for (const PlannedProcess& process : Plan(5).processes) {
    ports.insert(process.ports.begin(), process.ports.end());
    count += process.ports.size();
  }
  EXPECT_EQ(ports.size(), count);
  EXPECT_EQ(*ports.begin(), 7000);
  EXPECT_EQ(*ports.rbegin(), 7015);
}

TEST(ClusterPlanTest, AMemberAloneKnowsNoOthers) {
  const ZooKeeperFiles alone = Plan(1).members.front();
  EXPECT_EQ(alone.text.find("server."), std::string::npos);
  EXPECT_NE(alone.text.find("dataDir=./zookeeper/1/data\nclientPort=7001\n"), std::string::npos);
  const ZooKeeperFiles third = Plan(3).members.back();
  EXPECT_NE(third.text.find("clientPort=7003\n"), std::string::npos);
  EXPECT_NE(third.text.find("server.1=127.0.0.1:7004:7007\nserver.2=127.0.0.1:7005:7008\n"
                            "server.3=127.0.0.1:7006:7009\n"),
            std::string::npos);
  EXPECT_EQ(third.id, "3\n");
  EXPECT_EQ(third.id_file, "zookeeper/3/data/myid");
}

TEST(ClusterPlanTest, ZooKeeperSyncsItsLogAndKeepsToItsHeap) {
  const ClusterPlan plan = Plan(1);
  const auto& words = Named(plan, "zk1").words;
  for (const std::string& word : words) EXPECT_EQ(word.find("forceSync"), std::string::npos);
  EXPECT_NE(std::find(words.begin(), words.end(), "-Xmx96m"), words.end());
}

TEST(ClusterPlanTest, CommandLines) {
  const ClusterPlan plan = Plan(1);
  EXPECT_EQ(Named(plan, "ts2").words,
            (std::vector<std::string>{"/bin/sippar", "serve", "--cluster",
                                      "zk://127.0.0.1:7001/local", "--roles", "tabletserver",
                                      "--name", "ts2", "--listen", "127.0.0.1:0"}));
  EXPECT_EQ(Named(plan, "g1").words.back(), "127.0.0.1:7000");
}

TEST(ClusterPlanTest, AProcessIsKnownByItsNameAndItsCluster) {
  const ClusterPlan plan = Plan(1);
  for (const PlannedProcess& process : plan.processes) {
    for (const PlannedProcess& another : plan.processes) {
      EXPECT_EQ(IsProcess(process, another.words), process.name == another.name);
    }
    EXPECT_FALSE(IsProcess(process, {}));
    EXPECT_FALSE(IsProcess(process, {"vi", process.name}));
  }
  ClusterSettings settings;
  settings.port = 8000;
  const ClusterPlan other = PlanCluster("/other", settings, {"/bin/sippar", "/zookeeper.jar"});
  for (const PlannedProcess& process : plan.processes) {
    for (const PlannedProcess& another : other.processes) {
      EXPECT_FALSE(IsProcess(process, another.words)) << process.name;
    }
  }
  // After an upgrade the program has another path.
  auto words = Named(plan, "ts1").words;
  words.front() = "/usr/bin/sippar";
  EXPECT_TRUE(IsProcess(Named(plan, "ts1"), words));
}

TEST(ClusterSettingsTest, DecodesWhatItEncodes) {
  const ClusterSettings settings{4, 1, 5, 9000};
  auto decoded = ClusterSettings::Decode(settings.Encode());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, settings);
}

TEST(ClusterSettingsTest, DamagedSettingsAreRefused) {
  for (const char* text :
       {"", "servers 3\n", "servers 3\nmasters 2\nmembers 1\nport 99999\n",
        "servers x\nmasters 2\nmembers 1\nport 1\n", "masters 2\nservers 3\nmembers 1\nport 1\n",
        "servers 0\nmasters 2\nmembers 1\nport 1\n", "servers3\nmasters 2\nmembers 1\nport 1\n",
        "servers 3 \nmasters 2\nmembers 1\nport 1\n"}) {
    EXPECT_EQ(ClusterSettings::Decode(text).status().code(), StatusCode::kDataLoss) << text;
  }
}

TEST(ClusterSettingsTest, WhatIsNotWishedStaysAsItIs) {
  ClusterWishes wishes;
  EXPECT_EQ(SettingsFor({}, wishes, false).value(), ClusterSettings());
  wishes.servers = 5;
  EXPECT_EQ(SettingsFor(ClusterSettings{2, 1, 3, 9000}, wishes, true).value(),
            (ClusterSettings{5, 1, 3, 9000}));
}

TEST(ClusterSettingsTest, AClusterThatRunsGetsNeitherSmallerNorOtherPorts) {
  const ClusterSettings known{3, 2, 1, 9000};
  for (const ClusterWishes& wishes :
       {ClusterWishes{2, {}, {}, {}}, ClusterWishes{{}, 1, {}, {}}, ClusterWishes{{}, {}, {}, 1}}) {
    EXPECT_EQ(SettingsFor(known, wishes, true).status().code(), StatusCode::kFailedPrecondition);
    EXPECT_TRUE(SettingsFor(known, wishes, false).ok());
  }
}

TEST(ClusterSettingsTest, AClusterKeepsItsMembers) {
  const ClusterWishes wishes{{}, {}, 3, {}};
  EXPECT_EQ(SettingsFor(ClusterSettings(), wishes, false).status().code(),
            StatusCode::kFailedPrecondition);
  EXPECT_TRUE(SettingsFor({}, wishes, false).ok());
}

TEST(ClusterLackTest, NothingIsLackingWhenAllServe) {
  EXPECT_EQ(LackOf(Plan(1), kPids, Healthy()).why, "");
}

TEST(ClusterLackTest, AProcessThatWasKilledIsNotTheOneThatTookItsPlace) {
  auto health = Healthy();
  ClusterPids pids = kPids;
  pids["ts2"] = 99;
  EXPECT_EQ(LackOf(Plan(1), pids, health).names, std::vector<std::string>{"ts2"});
  pids = kPids;
  pids["m1"] = 99;
  EXPECT_EQ(LackOf(Plan(1), pids, health).why, "master m1 is not live");
}

TEST(ClusterLackTest, TheStatusOfAllOfItCounts) {
  auto health = Healthy();
  health.servers[0].state = "draining";
  EXPECT_EQ(LackOf(Plan(1), kPids, health).why, "");
  health.servers[0].state = "silent";
  EXPECT_EQ(LackOf(Plan(1), kPids, health).why, "server ts1 is not live");
  health = Healthy();
  health.recoveries.push_back({{"ts1", 2}, "seal", 1, 5, ""});
  EXPECT_EQ(LackOf(Plan(1), kPids, health).names, (std::vector<std::string>{"m1", "m2"}));
}

}  // namespace
}  // namespace sippar::cli
