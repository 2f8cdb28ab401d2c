// Tests which traces a process keeps, and how long.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/api/call_traces.h"

#include <gtest/gtest.h>

#include "cluster/api/call_codec.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kHourUs = 3'600'000'000;

CallTraceInfo TraceOf(const std::string& table, int64_t start_us) {
  CallTraceInfo info;
  info.table = table;
  info.start_us = start_us;
  return info;
}

std::vector<int64_t> Starts(const std::vector<CallTraceInfo>& traces) {
  std::vector<int64_t> starts;
  for (const CallTraceInfo& trace : traces) starts.push_back(trace.start_us);
  return starts;
}

TEST(CallTracesTest, TheyAreForgottenAfterAnHour) {
  engine::ManualClock clock(0);
  CallTraces traces(&clock, {});
  traces.Keep(TraceOf("t", 1));
  clock.Set(kHourUs / 2);
  traces.Keep(TraceOf("t", 2));
  EXPECT_EQ(Starts(traces.List("")), (std::vector<int64_t>{1, 2}));
  clock.Set(kHourUs);
  EXPECT_EQ(Starts(traces.List("")), (std::vector<int64_t>{2}));
  clock.Set(kHourUs * 2);
  EXPECT_TRUE(traces.List("").empty());
}

TEST(CallTracesTest, TheNewestAreKeptWhenThereAreTooMany) {
  engine::ManualClock clock(0);
  CallTraces traces(&clock, {.entries_max = 100});
  for (int64_t i = 0; i < 1000; ++i) traces.Keep(TraceOf("t", i));
  const std::vector<CallTraceInfo> kept = traces.List("");
  ASSERT_EQ(kept.size(), 100U);
  EXPECT_EQ(kept.front().start_us, 900);
  EXPECT_EQ(kept.back().start_us, 999);
}

TEST(CallTracesTest, ATableHasItsOwn) {
  engine::ManualClock clock(0);
  CallTraces traces(&clock, {});
  traces.Keep(TraceOf("t", 1));
  traces.Keep(TraceOf("u", 2));
  EXPECT_EQ(Starts(traces.List("u")), (std::vector<int64_t>{2}));
  EXPECT_TRUE(traces.List("v").empty());
}

TEST(CallTracesTest, AllSlowCallsAndOneInAThousandOthersAreWanted) {
  engine::ManualClock clock(0);
  CallTraces traces(&clock, {});
  int wanted = 0;
  for (int i = 0; i < 200'000; ++i) {
    const engine::TraceId id = engine::TraceId::New();
    wanted += traces.Wants(id, 1'000) ? 1 : 0;
    EXPECT_TRUE(traces.Wants(id, 100'000'000));
    EXPECT_EQ(traces.Wants(id, 1'000), traces.Wants(id, 2'000)) << "the id alone decides";
  }
  EXPECT_GT(wanted, 100);
  EXPECT_LT(wanted, 300);
}

TEST(CallTracesTest, TheSameTraceFromTwoServersIsOne) {
  engine::ManualClock clock(0);
  CallTraces traces(&clock, {});
  traces.Keep(TraceOf("t", 2));
  traces.Keep(TraceOf("t", 1));
  std::vector<CallTraceInfo> all = traces.List("");
  MergeTraces(traces.List(""), &all);
  traces.Keep(TraceOf("t", 3));
  MergeTraces(traces.List(""), &all);
  SortTraces(&all);
  EXPECT_EQ(Starts(all), (std::vector<int64_t>{1, 2, 3}));
}

TEST(CallTracesTest, ATraceComesWholeFromAnotherProcess) {
  CallTraceInfo trace = TraceOf("t", 1'700'000'000'000'000);
  trace.trace = std::string(32, 'a');
  trace.row = std::string("r\0w", 3);
  trace.outcome = "OK";
  trace.work = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  CallTraceInfo taken;
  ASSERT_TRUE(DecodeValue(EncodeValue(trace), &taken));
  EXPECT_EQ(EncodeValue(taken), EncodeValue(trace));
  EXPECT_EQ(taken.row, trace.row);
  EXPECT_EQ(taken.work.disk_us, 6);
}

TEST(TraceIdTest, TextIsReadBack) {
  const engine::TraceId id = engine::TraceId::New();
  EXPECT_EQ(engine::TraceId::FromHex(id.ToHex()), id);
  EXPECT_FALSE(id.is_none());
  EXPECT_NE(engine::TraceId::New(), id);
  for (const char* text :
       {"", "12", "0123456789abcdef0123456789abcdeg", "0123456789ABCDEF0123456789abcdef"}) {
    EXPECT_TRUE(engine::TraceId::FromHex(text).is_none()) << text;
  }
}

}  // namespace
}  // namespace sippar::cluster
