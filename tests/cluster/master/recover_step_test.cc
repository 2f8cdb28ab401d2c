// Tests the recovery of a server whose log is swept while it is sorted.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/recover_step.h"

#include <gtest/gtest.h>

namespace sippar::cluster::master {
namespace {

const ServerId kDead = {"s1", 4};
const ServerId kLive = {"s2", 5};

class RecoverStep : public testing::Test {
 protected:
  RecoverStep() {
    AddLive(kLive);
    Server& dead = state_.servers[kDead];
    dead.id = kDead;
    dead.recovery.emplace();
    dead.recovery->stage = RecoveryStage::kSeal;
    Recover(&turn_, &dead);
  }
  void AddLive(const ServerId& id) {
    Server& server = state_.servers[id];
    server.id = id;
    server.live = server.reported = true;
  }
  Recovery& recovery() { return *state_.servers[kDead].recovery; }
  // Answers the newest action, which must be an `Asked`.
  template <typename Asked>
  void Answer(event::Done done) {
    const Action newest = turn_.actions.back();
    ASSERT_TRUE(std::holds_alternative<Asked>(newest.body));
    done.op = newest.op;
    OnDone(&turn_, std::get<Asked>(newest.body), done);
  }

  MasterState state_;
  Turn turn_{&state_, 1'000'000, {}, {}, {}};
};

// A record that names the server was written late: the log was sealed and swept before.
TEST_F(RecoverStep, ALogThatIsSweptBetweenItsSealAndItsSortIsGivenUp) {
  Answer<action::SealLog>({0, OkStatus(), SealedLog{{7, 8}, {{99, 5}}}});
  EXPECT_EQ(recovery().stage, RecoveryStage::kSort);
  Answer<action::SortLogPart>({0, NotFound("no such segment"), {}});
  EXPECT_EQ(recovery().stage, RecoveryStage::kSeal);
  Answer<action::SealLog>({0, OkStatus(), SealedLog()});
  EXPECT_EQ(recovery().stage, RecoveryStage::kReady);
  // A tablet that needs the log would name it, and fail to load.
  EXPECT_EQ(recovery().last_sequences.at(99), 5u);
}

TEST_F(RecoverStep, ASegmentThatIsSortedIsNotSortedAgain) {
  Answer<action::SealLog>({0, OkStatus(), SealedLog{{7, 8}, {{99, 5}}}});
  Answer<action::SortLogPart>({0, OkStatus(), {}});  // 8
  const Action sort_of_7 = turn_.actions[turn_.actions.size() - 2];
  OnDone(&turn_, std::get<action::SortLogPart>(sort_of_7.body), {sort_of_7.op, NotFound("7"), {}});
  Answer<action::SealLog>({0, OkStatus(), SealedLog{{7, 8}, {{99, 5}}}});
  EXPECT_EQ(recovery().parts.size(), 1u);
  EXPECT_EQ(recovery().parts.at(7).failures, 1u);
  EXPECT_EQ(recovery().error, "7");
}

TEST_F(RecoverStep, ASortThatFailsIsRepeatedByAnotherServer) {
  const ServerId other = {"s3", 6};
  AddLive(other);
  Answer<action::SealLog>({0, OkStatus(), SealedLog{{7}, {{99, 5}}}});
  const ServerId first = std::get<action::SortLogPart>(turn_.actions.back().body).server;
  Answer<action::SortLogPart>({0, Unavailable("frozen"), {}});
  turn_.now_us += 60'000'000;
  Answer<action::SealLog>({0, OkStatus(), SealedLog{{7}, {{99, 5}}}});
  EXPECT_NE(std::get<action::SortLogPart>(turn_.actions.back().body).server, first);
  Answer<action::SortLogPart>({0, OkStatus(), {}});
  EXPECT_EQ(recovery().stage, RecoveryStage::kReady);
  EXPECT_EQ(recovery().last_sequences.at(99), 5u);
}

}  // namespace
}  // namespace sippar::cluster::master
