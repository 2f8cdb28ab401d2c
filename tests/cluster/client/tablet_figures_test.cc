// Figures of many tablets: few calls, all servers at once, servers that hang, have ended or are of
// the previous version; and how work is divided by server and put together again.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/tablet_figures.h"

#include "cluster/client/server_groups.h"
#include "tests/cluster/client/fake_servers.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

using Texts = std::vector<std::string>;

const ServerId kA{"a", 1}, kB{"b", 1}, kC{"c", 1}, kD{"d", 1};

class TabletFiguresTest : public testing::Test {
 protected:
  // Gives each server every fourth of the tablets 1 to `count`.
  std::vector<TabletAt> Place(uint64_t count) {
    const std::vector<ServerId> servers = {kA, kB, kC, kD};
    std::vector<TabletAt> tablets;
    for (const ServerId& server : servers) servers_.members[server];
    for (uint64_t id = 1; id <= count; ++id) {
      const ServerId& server = servers[id % servers.size()];
      servers_.members[server].tablets.insert(id);
      tablets.push_back({server, id});
    }
    return tablets;
  }
  std::vector<TabletFigures> Read(const std::vector<TabletAt>& tablets, int64_t timeout_us = 0,
                                  CancelFlag cancel = nullptr) {
    CallOptions options;
    options.timeout_us = timeout_us;
    options.cancel = std::move(cancel);
    return ReadFigures(&servers_, tablets, CallTime(engine::Clock::System(), options));
  }
  static void ExpectFigures(const std::vector<TabletAt>& tablets,
                            const std::vector<TabletFigures>& answers) {
    ASSERT_EQ(answers.size(), tablets.size());
    for (size_t i = 0; i < answers.size(); ++i) {
      ASSERT_TRUE(IsOk(answers[i]));
      ASSERT_EQ(answers[i]->size(), 1u);
      ASSERT_EQ(answers[i]->front().stored_bytes, tablets[i].tablet_id);
    }
  }

  FakeServers servers_;
};

TEST_F(TabletFiguresTest, TenThousandTabletsOnFourServersNeedThreeCallsToEach) {
  const std::vector<TabletAt> tablets = Place(10'000);
  ExpectFigures(tablets, Read(tablets));
  const Texts expected = {"BatchTabletStats of 1000", "BatchTabletStats of 1000",
                          "BatchTabletStats of 500"};
  for (const ServerId& server : {kA, kB, kC, kD}) EXPECT_EQ(servers_.CallsTo(server), expected);
}

TEST_F(TabletFiguresTest, ServersAreAskedAtTheSameTime) {
  const std::vector<TabletAt> tablets = Place(8);
  // The server of the first tablet answers only after all others were asked.
  servers_.members[kB].before_call = [this] {
    for (const ServerId& other : {kA, kC, kD}) EXPECT_TRUE(servers_.Await(other, 1));
  };
  ExpectFigures(tablets, Read(tablets));
}

TEST_F(TabletFiguresTest, AServerThatHangsIsNamedAndTheOthersAnswer) {
  const std::vector<TabletAt> tablets = Place(4'004);
  servers_.members[kC].hangs = true;
  CallOptions options;
  options.timeout_us = 2 * kSecond;
  const CallTime time(engine::Clock::System(), options);
  const std::vector<TabletFigures> answers = ReadFigures(&servers_, tablets, time);
  EXPECT_OK(time.Check());  // the hanging server had a part of the time
  EXPECT_EQ(servers_.CallsTo(kC).size(), 1u);
  for (size_t i = 0; i < tablets.size(); ++i) {
    if (tablets[i].server != kC) {
      ASSERT_TRUE(IsOk(answers[i]));
      continue;
    }
    ASSERT_EQ(answers[i].status().code(), StatusCode::kDeadlineExceeded);
    ASSERT_NE(MessageOf(answers[i].status()).find("server c.1: it did not answer in time"),
              std::string_view::npos)
        << answers[i].status();
  }
}

TEST_F(TabletFiguresTest, AServerOfThePreviousVersionIsAskedForEachTablet) {
  const std::vector<TabletAt> tablets = Place(12);
  servers_.members[kB].knows_batches = false;
  servers_.members[kB].tablets.erase(5);
  servers_.members[kB].failures[9] = DataLoss("tablet 9 is damaged");
  const std::vector<TabletFigures> answers = Read(tablets);
  EXPECT_EQ(servers_.CallsTo(kB),
            (Texts{"BatchTabletStats of 3", "TabletStats 1", "TabletStats 5", "TabletStats 9"}));
  EXPECT_OK(answers[0]);
  EXPECT_TRUE(HasCause(answers[4].status(), Cause::kNotServed)) << answers[4].status();
  EXPECT_CODE(answers[8], StatusCode::kDataLoss);
  EXPECT_OK(answers[11]);
}

TEST_F(TabletFiguresTest, WhatAServerLacksAndAServerThatHasEndedAreTold) {
  const std::vector<TabletAt> tablets = Place(4'004);
  servers_.members[kA].tablets.erase(8);
  servers_.members[kD].has_ended = true;
  const std::vector<TabletFigures> answers = Read(tablets);
  EXPECT_TRUE(HasCause(answers[7].status(), Cause::kNotServed)) << answers[7].status();
  EXPECT_OK(answers[11]);
  EXPECT_CODE(answers[2], StatusCode::kUnavailable);
  EXPECT_CODE(answers[4'002], StatusCode::kUnavailable);
  EXPECT_EQ(servers_.CallsTo(kD).size(), 1u);  // it is not asked again
}

TEST_F(TabletFiguresTest, AReplyMayEndEarlyButNotBeforeItsFirstTablet) {
  const std::vector<TabletAt> tablets = Place(20);
  servers_.members[kA].parts_max = 2;
  ExpectFigures(tablets, Read(tablets));
  EXPECT_EQ(servers_.CallsTo(kA),
            (Texts{"BatchTabletStats of 5", "BatchTabletStats of 3", "BatchTabletStats of 1"}));
  servers_.members[kB].parts_max = 0;
  EXPECT_CODE(Read(tablets)[0], StatusCode::kInternal);
}

TEST_F(TabletFiguresTest, ACancelledCallerGetsNoFurtherCalls) {
  const std::vector<TabletAt> tablets = Place(4'004);
  auto cancel = std::make_shared<std::atomic<bool>>(false);
  for (auto& [server, member] : servers_.members) {
    member.before_call = [cancel] { cancel->store(true); };
  }
  const std::vector<TabletFigures> answers = Read(tablets, 0, cancel);
  EXPECT_CODE(answers.back(), StatusCode::kCancelled);
  EXPECT_LE(servers_.CallCount(), 4u);
}

TEST(ServerGroups, TabletsAreGroupedInTheOrderOfTheFirst) {
  const std::vector<ServerGroup> groups = GroupByServer({kB, kA, kB, {}, kA});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].server, kB);
  EXPECT_EQ(groups[0].positions, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(groups[1].server, kA);
  EXPECT_EQ(groups[1].positions, (std::vector<size_t>{1, 4}));
  EXPECT_TRUE(groups[2].server.IsNone());
  EXPECT_TRUE(GroupByServer({}).empty());
}

TEST(ServerGroups, TheFirstErrorIsReturnedAndTheOthersAreCounted) {
  EXPECT_OK(FirstError({}));
  EXPECT_OK(FirstError({OkStatus(), std::nullopt}));
  EXPECT_EQ(FirstError({OkStatus(), DataLoss("x")}), DataLoss("x"));
  const Status first =
      FirstError({OkStatus(), DiskFull("disk d1"), DataLoss("x"), std::nullopt, std::nullopt});
  EXPECT_TRUE(HasCause(first, Cause::kDiskFull)) << first;
  EXPECT_EQ(MessageOf(first), "disk d1 (other tablets that failed: 1, that were not tried: 2)");
}

TEST(ServerGroups, PartsComeInKeyOrderAndNoRowTwice) {
  RowParts<std::string> parts;
  parts.Add({"m", "p"}, "m");
  parts.Add({"p", ""}, "p");
  parts.Add({"n", "o"}, "within m");
  parts.Add({"", "m"}, "first");
  parts.Add({"x", ""}, "within p");
  EXPECT_EQ(parts.Take(), (Texts{"first", "m", "p"}));
  EXPECT_TRUE(parts.Take().empty());
}

}  // namespace
}  // namespace sippar::cluster
