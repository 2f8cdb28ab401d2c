// Traces of a cluster's calls: a gateway and the tablet servers that it calls keep parts of one
// trace, and every client can ask for them. The members are objects in one process, so they share
// the kept traces (api/call_traces.h).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "cluster/api/call_traces.h"
#include "cluster/node/member.h"
#include "cluster/node/open_client.h"
#include "cluster/node/server_client.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

class MemberTracesTest : public testing::Test {
 protected:
  MemberTracesTest() {
    CallTraces::OfProcess()->SetRules({.one_in = 1});
    directory_ = testing::TempDir() + "member_traces." + std::to_string(::getpid());
    std::filesystem::remove_all(directory_);
    locks_ = EmbeddedLockService::Open(&lock_disk_, "/lock", engine::Clock::System()).value();
    EXPECT_EQ(MakeClusterIn(locks_.get(), "test", "posix:" + directory_, {}).value(), true);
    server_ = Start("s1", /*is_server=*/true);
    master_ = Start("m1", /*is_server=*/false);
  }
  ~MemberTracesTest() override {
    client_.reset();
    server_.member.reset();
    master_.member.reset();
    std::filesystem::remove_all(directory_);
    CallTraces::OfProcess()->SetRules({});
  }

  struct Running {
    std::shared_ptr<ClusterSite> site;
    std::unique_ptr<Member> member;
  };
  Running Start(const std::string& name, bool is_server) {
    MemberOptions options;
    options.name = name;
    options.is_server = is_server;
    options.is_master = !is_server;
    options.lease_us = 2 * kSecond;
    options.memory_limit = 64 << 20;
    options.end_process = [](const char*) {};
    Running running;
    running.site = ClusterSite::OpenIn(locks_, "test", {}).value();
    running.member = Member::Start(running.site.get(), options).value();
    return running;
  }
  void CreateTable(const std::string& name) {
    TableSchema schema;
    schema.name = name;
    schema.families.resize(1);
    schema.families[0].name = "f";
    ASSERT_TRUE(client_->admin()->Do(calls::CreateTable{schema, {}}).ok());
  }
  // Asks until there are `count` traces of this call on the table: a server keeps a trace only
  // after it has answered the call.
  std::vector<CallTraceInfo> TracesOf(const std::string& table, const std::string& call,
                                      size_t count) {
    for (;;) {
      auto traces = client_->admin()->Do(calls::Traces{table});
      EXPECT_TRUE(traces.ok()) << traces.status();
      if (!traces.ok()) return {};
      std::erase_if(*traces, [&](const CallTraceInfo& trace) { return trace.call != call; });
      if (traces->size() >= count) return *std::move(traces);
      engine::Clock::System()->SleepMicros(1'000);
    }
  }

  engine::MemoryFileSystem lock_disk_;
  std::string directory_;
  std::shared_ptr<LockService> locks_;
  Running server_, master_;
  std::unique_ptr<Client> client_;
};

// The process also keeps traces of other tests, so these tables have unique names.
TEST_F(MemberTracesTest, AGatewaysCallAndThoseThatItMakesAreOneTrace) {
  // The client knows only the address of the master, which is also a gateway.
  client_ =
      ConnectServer(master_.member->address(), "m1", engine::Clock::System(), nullptr).value();
  CreateTable("traced");
  const RowMutation mutation = RowMutation("r1").Set("f", "q", "v");
  ASSERT_TRUE(client_->data()->Apply("traced", mutation).ok());

  // A server that is still loading the tablet rejects the call, and the gateway repeats it.
  std::vector<CallTraceInfo> writes;
  CallTraceInfo gateways, servers;
  while (gateways.server.empty() || servers.server.empty()) {
    writes = TracesOf("traced", "ApplyRows", 2);
    for (const CallTraceInfo& write : writes) {
      EXPECT_EQ(write.trace, writes[0].trace);
      if (write.server == "m1") gateways = write;
      if (write.server == "s1" && write.outcome == "OK") servers = write;
    }
  }
  EXPECT_EQ(gateways.server, "m1");
  EXPECT_EQ(servers.server, "s1");
  EXPECT_EQ(servers.row, "r1");
  EXPECT_EQ(gateways.row, "r1");
  EXPECT_EQ(servers.outcome, "OK");
  EXPECT_GT(servers.work.sync_us, 0) << "the tablet's server synced its log";
  EXPECT_GE(servers.work.log_us, servers.work.sync_us);
  EXPECT_EQ(gateways.work.sync_us, 0);
  EXPECT_GE(gateways.duration_us, servers.duration_us);

  auto cells = client_->data()->Read("traced", ReadSpec(), {});
  ASSERT_TRUE(cells.ok());
  while ((*cells)->Valid()) (*cells)->Next();
  const std::vector<CallTraceInfo> reads = TracesOf("traced", "Read", 2);
  for (const CallTraceInfo& read : reads) EXPECT_EQ(read.trace, reads[0].trace);
  EXPECT_NE(reads[0].trace, writes[0].trace);
}

TEST_F(MemberTracesTest, AClientOfTheClusterGetsTheServersTraces) {
  client_ = OpenClusterClient(ClusterSite::OpenIn(locks_, "test", {}).value(), nullptr).value();
  CreateTable("u");
  ASSERT_TRUE(client_->data()->Apply("u", RowMutation("r2").Set("f", "q", "v")).ok());
  const std::vector<CallTraceInfo> writes = TracesOf("u", "ApplyRows", 1);
  EXPECT_EQ(writes.size(), 1U) << "the same trace, whoever else was asked for it";
  EXPECT_EQ(writes.back().row, "r2");
  EXPECT_EQ(writes.back().server, "s1");
  EXPECT_TRUE(client_->admin()->Do(calls::Traces{"nothing"}).value().empty());
}

}  // namespace
}  // namespace sippar::cluster
