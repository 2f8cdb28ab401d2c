// What a caller does while a member of ZooKeeper is silent.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/pending_answer.h"

#include <gtest/gtest.h>

namespace sippar::cluster::zookeeper {
namespace {

int64_t InMillis(int64_t millis) {
  return engine::Clock::System()->MonotonicNanos() + millis * 1'000'000;
}

TEST(PendingAnswerTest, L18ASilentMemberIsRemindedUntilItAnswers) {
  int reminders = 0;
  PendingAnswer* waiting = nullptr;
  PendingAnswer pending({}, [&] {
    if (++reminders == 2) waiting->Complete({kNoNode, {}, {}, {}});
  });
  waiting = &pending;
  EXPECT_EQ(pending.Wait(InMillis(60'000)).code, kNoNode);
  EXPECT_EQ(reminders, 2);
}

TEST(PendingAnswerTest, L18RemindersBecomeRare) {
  int reminders = 0;
  PendingAnswer pending({}, [&] { ++reminders; });
  EXPECT_EQ(pending.Wait(InMillis(1'000)).code, kNoAnswer);
  EXPECT_GE(reminders, 1);
  EXPECT_LE(reminders, 3) << "after 0.1, 0.3 and 0.7 s";
}

TEST(PendingAnswerTest, AnAnswerThatIsThereNeedsNoReminder) {
  PendingAnswer pending({}, [] { ADD_FAILURE() << "reminded"; });
  pending.Complete({kOk, {}, {"a"}, {}});
  EXPECT_EQ(pending.Wait(0).names, std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace sippar::cluster::zookeeper
