// What `sippar admin status`, `events` and `wait` say of a cluster.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_report.h"

#include <gtest/gtest.h>

#include "cli/cluster_wait.h"

namespace sippar::cli {
namespace {

cluster::ClusterHealth Healthy() {
  cluster::ClusterHealth health;
  health.cluster = {"c1", "prod"};
  health.healthy = true;
  health.master = {"m1", {"127.0.0.1:1", "host", 7, "0.9"}, 12, true};
  health.masters = {{"m1", health.master.member, true},
                    {"m2", {"127.0.0.1:2", "b", 8, "0.9"}, false}};
  cluster::ServerStatus server;
  server.id = {"s1", 3};
  server.state = "live";
  server.tablets = 2;
  server.bytes = 2048;
  server.reads_per_s = 1.25;
  health.servers = {server};
  health.tablets.total = health.tablets.online = 2;
  return health;
}

TEST(ClusterReportTest, JsonHasTheNamesThatScriptsUse) {
  EXPECT_EQ(
      HealthJson(Healthy()),
      R"({"cluster":{"id":"c1","name":"prod"},"healthy":true,)"
      R"("master":{"name":"m1","address":"127.0.0.1:1","host":"host","pid":7,"version":"0.9",)"
      R"("epoch":12,"state":"running"},)"
      R"("masters":[{"name":"m1","address":"127.0.0.1:1","host":"host","pid":7,"version":"0.9",)"
      R"("reigns":true},{"name":"m2","address":"127.0.0.1:2","host":"b","pid":8,"version":"0.9",)"
      R"("reigns":false}],)"
      R"("servers":[{"name":"s1","address":"","host":"","pid":0,"version":"","epoch":3,)"
      R"("state":"live","tablets":2,"bytes":2048,"memtable_bytes":0,"reads_per_s":1.2,)"
      R"("writes_per_s":0.0,"lease_left_ms":null,"skew_ms":null}],)"
      R"("tablets":{"total":2,"online":2,"loading":0,"unassigned":0,"recovering":0,"merging":0,)"
      R"("set_aside":0},"unserved":[],"recoveries":[],"sweep_errors":0,"balancing":true,)"
      R"("drained":[],"clock_doubt":""})"
      "\n");
}

TEST(ClusterReportTest, JsonNamesWhatIsNotServed) {
  cluster::ClusterHealth health = Healthy();
  health.healthy = false;
  health.unserved = {{"t", {"a\"", ""}, 5, "recovering", "server s1.3 has ended", 1'500'000}};
  health.recoveries = {{{"s1", 3}, "seal", 4, 2'000'000, "disk"}};
  const std::string json = HealthJson(health);
  EXPECT_NE(json.find(R"("unserved":[{"table":"t","start":"a\"","end":"","tablet":5,)"
                      R"("state":"recovering","why":"server s1.3 has ended","since_s":1.5}])"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("recoveries":[{"server":"s1.3","stage":"seal","tablets_left":4,)"
                      R"("since_s":2.0,"error":"disk"}])"),
            std::string::npos)
      << json;
  const std::string text = HealthText(health);
  EXPECT_NE(text.find("not all is served"), std::string::npos) << text;
  EXPECT_NE(text.find("unserved: t ['a\"' .. end) recovering for 1.5 s: server s1.3 has ended"),
            std::string::npos)
      << text;
}

TEST(ClusterReportTest, AClockThatIsWrongByMoreThanASecondIsTrouble) {
  cluster::ClusterHealth health = Healthy();
  health.servers[0].skew_ms = -1'000;
  EXPECT_EQ(HealthText(health).find("clock"), std::string::npos);
  health.servers[0].skew_ms = -1'600;
  health.servers[0].lease_left_ms = 4'000;
  const std::string text = HealthText(health);
  EXPECT_NE(text.find("clock of s1.3: it shows -1.6 s compared with the master's"),
            std::string::npos)
      << text;
  const std::string json = HealthJson(health);
  EXPECT_NE(json.find(R"("lease_left_ms":4000,"skew_ms":-1600})"), std::string::npos) << json;
}

TEST(ClusterReportTest, C1_AMasterThatDoubtsItsClockSaysSo) {
  cluster::ClusterHealth health = Healthy();
  health.clock_doubt = "the master's clock has jumped by +31536000 s";
  EXPECT_NE(HealthText(health).find("nothing is removed by its date: the master's clock has jumped "
                                    "by +31536000 s; ask `sippar admin doctor`\n"),
            std::string::npos);
}

TEST(ClusterReportTest, AnEventOfATabletThatIsGoneHasNoStart) {
  cluster::TabletEventInfo event{1'000'000, "t", {"", "m"}, 0, "assigned", "s2.4 by master 3"};
  EXPECT_EQ(EventJson(event),
            R"({"time":"1970-01-01T00:00:01Z","table":"t","start":null,"end":"m","tablet":null,)"
            R"("kind":"assigned","why":"s2.4 by master 3"})"
            "\n");
  event.tablet_id = 9;
  EXPECT_NE(EventJson(event).find(R"("start":"","end":"m","tablet":9)"), std::string::npos);
  EXPECT_EQ(EventText(event), "1970-01-01T00:00:01Z  t ['' .. 'm')  assigned: s2.4 by master 3\n");
}

TEST(ClusterWaitTest, IsOverWhenAllIsServedByAsManyServers) {
  ClusterWait wait;
  cluster::ClusterHealth health = Healthy();
  EXPECT_EQ(WhyNotReady(wait, health), "");
  wait.servers = 1;
  EXPECT_EQ(WhyNotReady(wait, health), "");
  wait.servers = 2;
  EXPECT_EQ(WhyNotReady(wait, health), "1 servers are live, 2 are wanted");
  wait.servers = 0;
  EXPECT_NE(WhyNotReady(wait, health), "");
  wait.servers.reset();
  health.servers[0].state = "silent";
  EXPECT_EQ(WhyNotReady(wait, health), "server s1.3 does not answer the master");
  health.servers[0].state = "live";
  health.healthy = false;
  health.unserved = {{"t", {"", ""}, 5, "loading", "server s1.3 loads it", 0}};
  health.tablets.online = 1;
  EXPECT_EQ(WhyNotReady(wait, health), "1 of 2 tablets are served; table t: server s1.3 loads it");
  health.recoveries = {{{"s0", 2}, "fence", 1, 0, ""}};
  EXPECT_EQ(WhyNotReady(wait, health), "server s0.2 is being recovered");
  health.master.is_running = false;
  EXPECT_EQ(WhyNotReady(wait, health), "the master is starting");
}

// What cannot be reached yet is waited for; what is no target is not.
TEST(ClusterWaitTest, EndsWithItsTimeOrAtOnceWhereWaitingCannotHelp) {
  ClusterWait wait;
  wait.target = testing::TempDir() + "/no_such_store";
  wait.timeout_us = 150'000;
  EXPECT_EQ(WaitForCluster(wait), 5);
  wait.target = "zk://";
  wait.timeout_us = 60'000'000;
  EXPECT_EQ(WaitForCluster(wait), 3);
}

TEST(ClusterReportTest, ATraceTellsWhereTheTimeWent) {
  cluster::CallTraceInfo trace;
  trace.trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  trace.call = "ApplyRows";
  trace.table = "t";
  trace.row = "r\"1";
  trace.server = "s1.3";
  trace.caller = "gateway g1";
  trace.start_us = 1'700'000'000'000'000;
  trace.duration_us = 123'456;
  trace.outcome = "OK";
  trace.work = {.queue_us = 1, .log_us = 122'000, .sync_us = 121'000, .cells_returned = 5};
  EXPECT_EQ(TraceJson(trace),
            R"({"time":"2023-11-14T22:13:20Z","trace":"4bf92f3577b34da6a3ce929d0e0e4736",)"
            R"("call":"ApplyRows","table":"t","row":"r\"1","server":"s1.3","caller":"gateway g1",)"
            R"("outcome":"OK","duration_ms":123.456,"queue_ms":0.001,"row_lock_ms":0.000,)"
            R"("log_ms":122.000,"sync_ms":121.000,"cache_ms":0.000,"disk_ms":0.000,)"
            R"("blocks_from_disk":0,"blocks_cached":0,"cells":5})"
            "\n");
  const std::string text = TraceText(trace);
  EXPECT_NE(
      text.find("123.456 ms 4bf92f3577b34da6a3ce929d0e0e4736 ApplyRows on t row 'r\"1' at s1.3 "
                "from gateway g1: OK; queue 0.001 log 122.000 sync 121.000\n"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace sippar::cli
