// Tests which actions of a lane run at the same time.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/lane_queue.h"

#include <gtest/gtest.h>

#include "cluster/location/meta_row.h"
#include "cluster/master/decide/action_lane.h"

namespace sippar::cluster::master {
namespace {

constexpr size_t kRunningMax = 2;
constexpr int64_t kSlowUs = 1'000;

class LaneQueueTest : public testing::Test {
 protected:
  void Load(const std::string& server) {
    queue_.Push({++op_, action::LoadTablet{{server, 1}, {}, nullptr}});
  }
  void Change() { queue_.Push({++op_, action::ChangeRecord{}}); }
  // Begins all actions that may begin now; returns their numbers.
  std::vector<uint64_t> Begin() {
    std::vector<uint64_t> begun;
    while (auto action = queue_.Begin(now_us_)) begun.push_back(action->op);
    return begun;
  }
  using Ops = std::vector<uint64_t>;

  LaneQueue queue_{kRunningMax, kSlowUs};
  uint64_t op_ = 0;
  int64_t now_us_ = 1'000'000;
};

TEST_F(LaneQueueTest, ActionsBeginInTheirOrderAndSoManyRunAtOnce) {
  for (int i = 0; i < 3; ++i) Load("s1");
  Change();
  EXPECT_EQ(Begin(), (Ops{1, 2}));
  queue_.End(2);
  EXPECT_EQ(Begin(), Ops{3});
  queue_.End(1);
  queue_.End(3);
  EXPECT_EQ(Begin(), Ops{4});
  queue_.End(4);
  EXPECT_EQ(queue_.running(), 0u);
}

TEST_F(LaneQueueTest, AServerThatHangsHoldsNoOthersActions) {
  for (int i = 0; i < 5; ++i) Load("hung");
  for (int i = 0; i < 3; ++i) Load("s2");
  EXPECT_EQ(Begin(), (Ops{1, 2}));
  now_us_ += kSlowUs - 1;
  EXPECT_EQ(Begin(), Ops());
  now_us_ += 1;
  // The other actions for the slow server wait until its first ones end.
  EXPECT_EQ(Begin(), (Ops{6, 7}));
  queue_.End(6);
  EXPECT_EQ(Begin(), Ops{8});
  queue_.End(7);
  queue_.End(8);
  EXPECT_EQ(Begin(), Ops());
  queue_.End(1);
  EXPECT_EQ(Begin(), Ops{3});
}

TEST_F(LaneQueueTest, ManyServersThatHangDelayOthersAndNoMore) {
  for (int server = 0; server < 10; ++server) {
    for (int i = 0; i < 4; ++i) Load("hung" + std::to_string(server));
  }
  Load("s2");
  const uint64_t last = op_;
  bool has_begun = false;
  for (int round = 0; round < 11 && !has_begun; ++round, now_us_ += kSlowUs) {
    const Ops begun = Begin();
    has_begun = std::find(begun.begin(), begun.end(), last) != begun.end();
  }
  EXPECT_TRUE(has_begun);
  EXPECT_LE(queue_.running(), 10 * kRunningMax + 1);
}

// More of them at once would only wait for the same METADATA tablet.
TEST_F(LaneQueueTest, ActionsOfNoServerStayWithinTheBoundHoweverSlow) {
  for (int i = 0; i < 4; ++i) Change();
  EXPECT_EQ(Begin(), (Ops{1, 2}));
  now_us_ += 100 * kSlowUs;
  EXPECT_EQ(Begin(), Ops());
  queue_.End(1);
  EXPECT_EQ(Begin(), Ops{3});
}

TEST_F(LaneQueueTest, WhatCouldNotBeBegunIsTheFirstAgain) {
  Load("s1");
  Load("s1");
  auto first = queue_.Begin(now_us_);
  ASSERT_TRUE(first.has_value());
  queue_.PutBack(*std::move(first));
  EXPECT_EQ(queue_.running(), 0u);
  EXPECT_EQ(Begin(), (Ops{1, 2}));
}

TEST_F(LaneQueueTest, ClearDropsWhatHasNotBegun) {
  for (int i = 0; i < 3; ++i) Load("s1");
  EXPECT_EQ(Begin(), (Ops{1, 2}));
  queue_.Clear();
  queue_.End(1);
  queue_.End(2);
  EXPECT_EQ(Begin(), Ops());
  Load("s1");
  EXPECT_EQ(Begin(), Ops{4});
}

TEST(ActionGroups, AreTheServersThatAreCalledOrRecovered) {
  const ServerId server{"s1", 4};
  EXPECT_EQ(GroupOf(action::AskServer{server}), "s1.4");
  EXPECT_EQ(GroupOf(action::SealLog{server}), "s1.4");
  EXPECT_EQ(GroupOf(action::SortLogPart{server, {"s2", 1}, 7}), "s1.4");
  EXPECT_EQ(GroupOf(action::SetSchema{server, nullptr}), "s1.4");
  EXPECT_EQ(GroupOf(action::LevelBirths{}), "merges");
  EXPECT_EQ(GroupOf(action::TrashFiles{}), "sweep");
  action::ChangeRecord change;
  change.change.server = server;  // the action calls METADATA's server, not this one
  EXPECT_EQ(GroupOf(change), "");
}

}  // namespace
}  // namespace sippar::cluster::master
