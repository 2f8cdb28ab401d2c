// Traces of calls over the wire: what a server keeps of them, and how their ids are sent.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/recorded_call.h"

#include <gtest/gtest.h>

#include "cluster/api/call_traces.h"
#include "cluster/net/channel.h"
#include "engine/base/call_notes.h"
#include "tests/cluster/wire/line_world.h"

namespace sippar::cluster {
namespace {

class RecordedCallTest : public testing::Test {
 protected:
  RecordedCallTest() {
    CallTraces::OfProcess()->SetRules({.one_in = 1});
    world_.Begin();
  }
  ~RecordedCallTest() override { CallTraces::OfProcess()->SetRules({}); }

  Status Apply(const std::string& row) {
    const RowMutation mutation = RowMutation(row).Set("f", "q", "v");
    const std::vector<const RowMutation*> batch = {&mutation};
    auto answer = world_.transport.Tablets(world_.id, net::Lane::kUsers)
                      ->Do(calls::ApplyRows<TabletAddress>{{7, 2}, batch}, {});
    return answer.ok() ? answer->at(0) : answer.status();
  }
  // Waits for `count` kept traces with this id: a trace is kept only after its call is answered.
  static std::vector<CallTraceInfo> Of(engine::TraceId id, size_t count = 1) {
    for (;;) {
      std::vector<CallTraceInfo> found = CallTraces::OfProcess()->List("");
      std::erase_if(found, [&](const CallTraceInfo& trace) { return trace.trace != id.ToHex(); });
      if (found.size() >= count) return found;
      engine::Clock::System()->SleepMicros(1'000);
    }
  }

  LineWorld world_;
};

TEST_F(RecordedCallTest, ACallBelongsToTheTraceThatItsCallerServes) {
  engine::CallNotes served{.trace = engine::TraceId::New()};
  {
    engine::CallNotesScope scope(&served);
    ASSERT_TRUE(Apply("r").ok());
  }
  const CallTraceInfo trace = Of(served.trace).at(0);
  EXPECT_EQ(trace.call, "ApplyRows");
  EXPECT_EQ(trace.server, "ts1.4");
  EXPECT_EQ(trace.caller, "client c1");
  EXPECT_EQ(trace.outcome, "OK");
  EXPECT_GT(trace.start_us, 0);
  EXPECT_GE(trace.duration_us, trace.work.queue_us);
}

TEST_F(RecordedCallTest, AnUnnamedCallGetsATraceOfItsOwn) {
  const size_t before = CallTraces::OfProcess()->List("").size();
  ASSERT_TRUE(Apply("r").ok());
  ASSERT_TRUE(Apply("r").ok());
  std::vector<CallTraceInfo> all;
  while (all.size() < before + 2) all = CallTraces::OfProcess()->List("");
  EXPECT_NE(all.at(before).trace, all.at(before + 1).trace);
}

TEST_F(RecordedCallTest, WhatTheServersThreadNotesIsInTheTrace) {
  world_.tablets->on_write = [] {
    engine::CallNotes* notes = engine::CurrentCallNotes();
    ASSERT_NE(notes, nullptr);
    notes->About("t", std::string("r\0w", 3));
    notes->row_lock_nanos = 1'000'000;
    notes->log_nanos = 3'000'000;
    notes->sync_nanos = 2'000'000;
  };
  engine::CallNotes served{.trace = engine::TraceId::New()};
  engine::CallNotesScope scope(&served);
  ASSERT_TRUE(Apply("r").ok());
  const CallTraceInfo trace = Of(served.trace).at(0);
  EXPECT_EQ(trace.table, "t");
  EXPECT_EQ(trace.row, std::string("r\0w", 3));
  EXPECT_EQ(trace.work.row_lock_us, 1'000);
  EXPECT_EQ(trace.work.log_us, 3'000);
  EXPECT_EQ(trace.work.sync_us, 2'000);
  EXPECT_EQ(served.log_nanos, 0) << "the caller's notes are its own";
}

// The loop's thread answers a read of one row, a thread of the lane answers a scan.
TEST_F(RecordedCallTest, ReadsAreKeptWithTheirOutcomeAndCounters) {
  world_.tablets->cells = {Cell(CellView{"r", "f", "q", 1, 1, "v"})};
  for (const bool is_scan : {false, true}) {
    for (const bool fails : {false, true}) {
      world_.tablets->outcome = fails ? DataLoss("a block is damaged") : OkStatus();
      ReadSpec read;
      if (!is_scan) read.rows = engine::RowSet(engine::RowRange::Single("r"));
      engine::CallNotes served{.trace = engine::TraceId::New()};
      engine::CallNotesScope scope(&served);
      auto cells = world_.transport.Tablets(world_.id, net::Lane::kUsers)->Read({7, 2}, read, {});
      if (cells.ok()) {
        while ((*cells)->Valid()) (*cells)->Next();
      }
      cells = Unavailable("ended");
      const CallTraceInfo trace = Of(served.trace).at(0);
      EXPECT_EQ(trace.call, "Read");
      EXPECT_EQ(trace.outcome, fails ? "DATA_LOSS" : "OK");
      EXPECT_EQ(trace.work.cells_returned, 1U);
    }
  }
}

TEST_F(RecordedCallTest, ACallThatIsNeitherSlowNorSampledIsNotKept) {
  CallTraces::OfProcess()->SetRules({.one_in = 0, .slow_nanos = INT64_MAX});
  engine::CallNotes served{.trace = engine::TraceId::New()};
  engine::CallNotesScope scope(&served);
  ASSERT_TRUE(Apply("r").ok());
  world_.server.server->Stop(0);  // waits for the end of the call, not only for its answer
  EXPECT_TRUE(Of(served.trace, 0).empty());
}

// A server of the previous version does not know the feature, so it must get the body unchanged.
TEST_F(RecordedCallTest, ANeighbourWithoutTheFeatureGetsNoIds) {
  net::ServerOptions options;
  options.hello = HelloOf("tabletserver", "ts0.2");
  options.hello.features = 0;
  MemberService service("ts0.2");
  service.Begin({.tablets = world_.tablets});
  net::LaneLoops loops{"old"};
  auto server = net::Server::Start(options, &service, &loops);
  ASSERT_TRUE(server.ok());
  const ServerId id{"ts0", 2};
  world_.addresses.Put(id, {"127.0.0.1", (*server)->port(), "ts0.2"});
  engine::CallNotes served{.trace = engine::TraceId::New()};
  {
    engine::CallNotesScope scope(&served);
    const RowMutation mutation = RowMutation("old").Set("f", "q", "v");
    const std::vector<const RowMutation*> batch = {&mutation};
    auto answer = world_.transport.Tablets(id, net::Lane::kUsers)
                      ->Do(calls::ApplyRows<TabletAddress>{{7, 2}, batch}, {});
    EXPECT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(world_.tablets->rows.back(), "old");
    ASSERT_TRUE(Apply("new").ok());
  }
  EXPECT_EQ(Of(served.trace).size(), 1U) << "only the server that has the feature knows the id";
  (*server)->Stop(0);
  loops.Stop();
}

}  // namespace
}  // namespace sippar::cluster
