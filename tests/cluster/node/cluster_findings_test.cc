// Tests the findings of `sippar admin doctor` about a cluster, derived from given facts.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/cluster_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sippar::cluster {
namespace {

using testing::HasSubstr;
using zookeeper::MemberState;

constexpr const char* kTarget = "zk://z1:2181/demo";

MemberFact Member(bool is_server, const std::string& name) {
  return {is_server, name, "h1:4711, process 812 on rack4", OkStatus()};
}

ServerStatus Server(const std::string& name, uint64_t epoch, const std::string& state) {
  ServerStatus server;
  server.id = {name, epoch};
  server.state = state;
  server.member = {"h1:4711", "rack4", 812, "1"};
  return server;
}

// The facts of a healthy cluster: two servers, one master.
ClusterFacts Whole() {
  ClusterFacts facts;
  facts.target = kTarget;
  facts.zookeeper = {{"z1:2181", {MemberState::kServes, "standalone"}}};
  facts.locks = {"c1", "posix:/srv/demo", 100, true};
  facts.members = {Member(true, "ts1.5"), Member(true, "ts2.6"), Member(false, "m1")};
  facts.store = StoreFacts{"/srv/demo", OkStatus(), "c1", kTarget, 6};
  ClusterHealth health;
  health.healthy = true;
  health.master.name = "m1";
  health.master.is_running = true;
  health.servers = {Server("ts1", 5, "live"), Server("ts2", 6, "live")};
  facts.health = health;
  return facts;
}

UnservedTablet Unserved(const std::string& state, const std::string& why) {
  return {"t", {"a", "b"}, 17, state, why, 12'300'000};
}

// Returns the only finding.
ClusterFinding One(const ClusterFacts& facts) {
  const std::vector<ClusterFinding> findings = FindingsOf(facts);
  EXPECT_EQ(findings.size(), 1u);
  for (const ClusterFinding& each : findings) {
    EXPECT_FALSE(each.about.empty() || each.what.empty() || each.why.empty()) << each.why;
    EXPECT_FALSE(each.way_out.empty()) << each.why;
    if (findings.size() != 1) ADD_FAILURE() << each.what << ": " << each.why;
  }
  return findings.empty() ? ClusterFinding() : findings.front();
}

TEST(ClusterFindings, AWholeClusterHasNone) { EXPECT_TRUE(FindingsOf(Whole()).empty()); }

TEST(ClusterFindings, ZooKeeperThatLostTheClusterIsToldApartFromOneThatNeverHadIt) {
  ClusterFacts facts = Whole();
  facts.session = NotFound("there is no such cluster");
  facts.locks = {};
  facts.members.clear();
  facts.health = Unavailable("not asked");
  const ClusterFinding lost = One(facts);
  EXPECT_THAT(lost.why, HasSubstr("ZooKeeper has lost it: /srv/demo is the store"));
  EXPECT_THAT(lost.why, HasSubstr("wiped"));
  EXPECT_THAT(lost.way_out, HasSubstr("leave /srv/demo as it is"));
  EXPECT_THAT(lost.way_out, HasSubstr("dataDir"));
  EXPECT_THAT(lost.way_out, HasSubstr("collapse cannot help"));

  facts.store.reset();
  const ClusterFinding unknown = One(facts);
  EXPECT_THAT(unknown.why, HasSubstr("never made"));
  EXPECT_THAT(unknown.way_out, HasSubstr("sippar admin doctor DIR"));
  EXPECT_THAT(unknown.way_out, HasSubstr("sippar admin init zk://z1:2181/demo --store posix:DIR"));

  // A rejected init has created the tree again, but nothing in it.
  facts.session = OkStatus();
  EXPECT_EQ(One(facts).way_out, unknown.way_out);
}

TEST(ClusterFindings, ZooKeeperThatDoesNotAnswer) {
  ClusterFacts facts = Whole();
  facts.zookeeper = {{"z1:2181", {MemberState::kAway, "Connection refused"}},
                     {"z2:2181", {MemberState::kNoLeader, "it sees no majority of the members"}}};
  facts.session = Unavailable("ZooKeeper z1:2181,z2:2181 does not answer");
  facts.locks = {};
  facts.members.clear();
  facts.health = Unavailable("not asked");
  const std::vector<ClusterFinding> findings = FindingsOf(facts);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].what, "ZooKeeper z1:2181");
  EXPECT_EQ(findings[0].why, "Connection refused");
  EXPECT_THAT(findings[1].way_out, HasSubstr("start the members that do not run"));
  EXPECT_THAT(findings[2].why, HasSubstr("ZooKeeper does not answer"));
}

TEST(ClusterFindings, TheStoreHasToBeThisClusters) {
  ClusterFacts facts = Whole();
  facts.store->id = "c2";
  EXPECT_THAT(One(facts).why, HasSubstr("it belongs to cluster 'c2', and zk://z1:2181/demo has"));

  facts = Whole();
  facts.store->read = NotFound("no CLUSTER");
  facts.store->id = "";
  EXPECT_THAT(One(facts).way_out, HasSubstr("mount the directory"));

  facts = Whole();
  facts.store->target = "";
  EXPECT_THAT(One(facts).way_out, HasSubstr("target zk://z1:2181/demo\\n' > /srv/demo/TARGET"));

  facts = Whole();
  facts.store->target = "zk://other-name-of-z1:2181/demo";  // the same cluster, according to its id
  EXPECT_TRUE(FindingsOf(facts).empty());
}

TEST(ClusterFindings, X6_AnOlderCopyOfZooKeepersDataIsSeenByItsEpochs) {
  ClusterFacts facts = Whole();
  facts.store->top_epoch = 99;
  EXPECT_TRUE(FindingsOf(facts).empty());
  facts.store->top_epoch = 100;
  EXPECT_THAT(One(facts).why, HasSubstr("logs of epoch 100, and ZooKeeper gives out 100 next"));
}

TEST(ClusterFindings, AnInitOrCollapseThatHasNotEnded) {
  ClusterFacts facts = Whole();
  facts.members.clear();
  facts.locks.store = "collapsing posix:/srv/demo\nzk://z1:2181/demo";
  const std::vector<ClusterFinding> findings = FindingsOf(facts);
  ASSERT_FALSE(findings.empty());
  EXPECT_THAT(findings.front().way_out,
              HasSubstr("sippar admin collapse zk://z1:2181/demo /srv/demo`"));
  facts.locks.store = "making posix:/srv/demo";
  EXPECT_THAT(FindingsOf(facts).front().way_out,
              HasSubstr("sippar admin init zk://z1:2181/demo --store posix:/srv/demo`"));
}

TEST(ClusterFindings, AStoreOfAKindThatThisProgramDoesNotKnow) {
  ClusterFacts facts = Whole();
  facts.locks.store = "moon:/srv/demo";
  EXPECT_THAT(One(facts).why, HasSubstr("store 'moon:/srv/demo': not supported"));
  EXPECT_THAT(One(facts).way_out, HasSubstr("version of sippar that made the cluster"));
}

TEST(ClusterFindings, NoMasterReigns) {
  ClusterFacts facts = Whole();
  facts.locks.has_master = false;
  facts.health = Unavailable("no master");
  EXPECT_THAT(One(facts).why, HasSubstr("no master reigns, m1 wait"));
  facts.members.pop_back();
  EXPECT_THAT(One(facts).way_out, HasSubstr("--roles master --name m1"));
}

TEST(ClusterFindings, AMasterThatDoesNotAnswer) {
  ClusterFacts facts = Whole();
  facts.health = DeadlineExceeded("no answer in 3 s");
  facts.members.back().answer = DeadlineExceeded("no answer in 3 s");
  const std::vector<ClusterFinding> findings = FindingsOf(facts);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].what, "master m1");
  EXPECT_THAT(findings[0].way_out, HasSubstr("process 812 on rack4: kill it if it is frozen"));
  EXPECT_THAT(findings[1].why, HasSubstr("its master does not say how it is"));
}

TEST(ClusterFindings, NoTabletServerRuns) {
  ClusterFacts facts = Whole();
  facts.members = {Member(false, "m1")};
  facts.health->servers.clear();
  facts.health->unserved = {Unserved("unassigned", "no live server can take it")};
  const std::vector<ClusterFinding> findings = FindingsOf(facts);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[0].why, HasSubstr("no tablet server runs"));
  EXPECT_EQ(findings[1].what, "tablet t ['a' .. 'b')");
  EXPECT_EQ(findings[1].why, "not served for 12.3 s (unassigned): no live server can take it");
  EXPECT_EQ(findings[1].way_out, "start a tablet server");
}

TEST(ClusterFindings, ATabletIsTracedToTheServerThatHoldsItUp) {
  ClusterFacts facts = Whole();
  facts.members.front().answer = DeadlineExceeded("no answer in 3 s");
  facts.health->servers.push_back(Server("ts1", 55, "live"));
  facts.health->unserved = {Unserved("loading", "server ts1.5 loads it"),
                            Unserved("loading", "server ts1.55 loads it"),
                            Unserved("loading", "it moves from ts1.5 to ts2.6")};
  const std::vector<ClusterFinding> findings = FindingsOf(facts);
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].what, "server ts1.5");
  EXPECT_THAT(findings[1].why, HasSubstr("; server ts1.5 does not answer"));
  EXPECT_THAT(findings[1].way_out, HasSubstr("see that server above"));
  EXPECT_THAT(findings[2].why, testing::Not(HasSubstr("does not answer")));
  EXPECT_THAT(findings[2].way_out, HasSubstr("sippar admin events"));
  EXPECT_THAT(findings[3].why, HasSubstr("; server ts1.5 does not answer"));
}

TEST(ClusterFindings, ARecoveryIsNamedWithItsError) {
  ClusterFacts facts = Whole();
  facts.health->servers.push_back(Server("ts3", 7, "recovering"));
  facts.health->recoveries = {{{"ts3", 7}, "sort", 3, 5'000'000, "disk read failed"}};
  facts.health->unserved = {Unserved("recovering", "server ts3.7 has ended")};
  const std::vector<ClusterFinding> findings = FindingsOf(facts);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[0].why,
              HasSubstr("3 tablets wait until its log is recovered: stage 'sort' for 5.0 s, last "
                        "error: disk read failed"));
  EXPECT_THAT(findings[0].way_out, HasSubstr("mend what the error names"));
  EXPECT_THAT(findings[1].way_out, HasSubstr("see that server above"));
}

TEST(ClusterFindings, P19_ATabletThatIsSetAsideIsToldHowToLetItBack) {
  ClusterFacts facts = Whole();
  facts.health->unserved = {
      Unserved("set_aside", "servers ts1.2, ts2.3 crashed while they loaded or served it")};
  EXPECT_THAT(One(facts).way_out, HasSubstr("sippar admin letback zk://z1:2181/demo t 'a'"));
}

TEST(ClusterFindings, N1_AServerThatTheMasterAloneCannotReach) {
  ClusterFacts facts = Whole();
  facts.health->servers.front().state = "silent";
  EXPECT_THAT(One(facts).way_out, HasSubstr("mend the network between the master and rack4"));
}

TEST(ClusterFindings, C1_AClockThatIsMoreThanASecondOffIsShown) {
  ClusterFacts facts = Whole();
  facts.health->servers.front().skew_ms = -1'000;
  EXPECT_TRUE(FindingsOf(facts).empty());
  facts.health->servers.front().skew_ms = -1'500;
  EXPECT_THAT(One(facts).why, HasSubstr("-1.5 s compared with the master's"));
}

TEST(ClusterFindings, OrdersOfAnAdministratorAreNoTrouble) {
  ClusterFacts facts = Whole();
  facts.health->orders = {false, {"ts1"}};
  std::vector<ClusterFinding> findings = FindingsOf(facts);
  ASSERT_EQ(findings.size(), 2u);
  for (const ClusterFinding& each : findings) EXPECT_FALSE(each.is_trouble) << each.why;
  EXPECT_THAT(findings[1].way_out, HasSubstr("sippar admin undrain zk://z1:2181/demo ts1"));

  facts.health->orders = {true, {"ts1", "ts2"}};
  findings = FindingsOf(facts);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_TRUE(findings[0].is_trouble);
  EXPECT_THAT(findings[0].why, HasSubstr("every live server is drained"));
}

TEST(ClusterFindings, C1_AClockThatTheMasterDoubts) {
  ClusterFacts facts = Whole();
  facts.health->clock_doubt = "the master's clock has jumped by +31536000 s";
  EXPECT_THAT(One(facts).why, HasSubstr("jumped by +31536000 s, so no dropped table"));
  EXPECT_THAT(One(facts).way_out, HasSubstr("set the clocks"));
}

TEST(ClusterFindings, FailedSweeps) {
  ClusterFacts facts = Whole();
  facts.health->sweep_errors = 2;
  EXPECT_THAT(One(facts).why, HasSubstr("2 sweeps of unused files failed"));
}

}  // namespace
}  // namespace sippar::cluster
