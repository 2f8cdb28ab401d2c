// Tests how long a merge of many tablets takes that an administrator requests.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "world.h"

namespace sippar::cluster::master {
namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kStepUs = 10'000;

// A master whose calls are all carried out at once, and a table with one tablet for each letter.
class MergeRequestTest : public testing::Test {
 protected:
  MergeRequestTest() {
    world_.AddServer("s1");
    state_.options.root_limit = World::kRootLimit;
    const uint64_t epoch = world_.NextEpoch();
    world_.TakeMasterLock(epoch);
    Feed(event::LockTaken{epoch});
  }
  void CreateTable(size_t tablets) {
    TableSchema schema;
    schema.name = "web";
    schema.families.push_back({"f", {}, {}});
    schema.Normalize();
    std::vector<std::string> keys;
    for (size_t i = 1; i < tablets; ++i) keys.emplace_back(1, static_cast<char>('a' + i));
    Feed(event::CreateTable{1, schema, keys, 0});
    Wait(1);
    EXPECT_EQ(TabletsOf("web"), tablets);
  }
  size_t TabletsOf(const std::string& name) {
    return state_.tablets.OfTable(world_.TableId(name)).size();
  }
  // Returns the time until the request is answered with OK, at most a minute.
  int64_t Wait(uint64_t request) {
    const int64_t begin_us = now_us_;
    while (!answers_.contains(request) && now_us_ < begin_us + 60 * kSecond) {
      now_us_ += kStepUs;
      Feed(event::Tick{now_us_});
    }
    EXPECT_TRUE(answers_.contains(request));
    if (answers_.contains(request)) EXPECT_TRUE(answers_[request].ok()) << answers_[request];
    return now_us_ - begin_us;
  }
  void Feed(const Event& event) {
    Take(Step(&state_, event, now_us_));
    while (!calls_.empty()) {
      Action action = std::move(calls_.front());
      calls_.pop_front();
      Take(Step(&state_, world_.CarryOut(state_.epoch, action), now_us_));
    }
  }

 private:
  void Take(std::vector<Action> actions) {
    for (Action& action : actions) {
      if (const auto* reply = std::get_if<action::Reply>(&action.body)) {
        answers_[reply->request] = reply->status;
      } else {
        calls_.push_back(std::move(action));
      }
    }
  }

  World world_;
  MasterState state_;
  int64_t now_us_ = kSecond;
  std::deque<Action> calls_;
  std::map<uint64_t, Status> answers_;
};

TEST_F(MergeRequestTest, AMergeThatSucceedsDoesNotDelayTheNextOne) {
  CreateTable(20);
  Feed(event::MergeTablets{2, "web", RowRange::All()});
  EXPECT_LT(Wait(2), 3 * kSecond);
  EXPECT_EQ(TabletsOf("web"), 1u);
}

}  // namespace
}  // namespace sippar::cluster::master
