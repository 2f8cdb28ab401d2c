// Tests the interpretation of ZooKeeper's answers, states and times.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/session_terms.h"

#include "cluster/lock/zookeeper/answer.h"
#include "cluster/lock/zookeeper/zookeeper_lock_service.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster::zookeeper {
namespace {

TEST(Answer, OnlyAnEndedSessionIsAFailedPrecondition) {
  EXPECT_OK(UnexpectedAnswer(kOk, "x"));
  EXPECT_CODE(UnexpectedAnswer(kSessionExpired, "x"), StatusCode::kFailedPrecondition);
  for (int code : {kConnectionLoss, kOperationTimeout, kNoAnswer, kClosing, kSessionMoved}) {
    EXPECT_TRUE(IsUnknown(code)) << code;
    EXPECT_CODE(UnexpectedAnswer(code, "x"), StatusCode::kUnavailable) << code;
  }
  EXPECT_CODE(UnexpectedAnswer(kNoAuth, "x"), StatusCode::kPermissionDenied);
  EXPECT_CODE(UnexpectedAnswer(kAuthFailed, "x"), StatusCode::kPermissionDenied);
  for (int code : {-1, kRolledBack, -3, kInvalidState, kNodeExists, -127, -1000}) {
    EXPECT_CODE(UnexpectedAnswer(code, "x"), StatusCode::kUnavailable) << code;
  }
}

TEST(Answer, TheFirstPartThatFailedItselfIsTheReason) {
  EXPECT_EQ(FirstFailure(kOk, {0, 0}).code, kOk);
  PartAnswer failure = FirstFailure(kNodeExists, {0, kNodeExists, kRolledBack});
  EXPECT_EQ(failure.part, 1u);
  EXPECT_EQ(failure.code, kNodeExists);
  failure = FirstFailure(kBadVersion, {kBadVersion, kRolledBack, kRolledBack});
  EXPECT_EQ(failure.part, 0u);
  EXPECT_EQ(failure.code, kBadVersion);
  EXPECT_EQ(FirstFailure(kConnectionLoss, {0, 0}).code, kConnectionLoss) << "no part has an answer";
}

TEST(SessionTerms, AnEndStays) {
  using enum SessionPhase;
  EXPECT_EQ(NextPhase(kConnecting, kStateConnected), kConnected);
  EXPECT_EQ(NextPhase(kConnected, 1), kConnecting);
  EXPECT_EQ(NextPhase(kConnected, kStateExpired), kOver);
  EXPECT_EQ(NextPhase(kConnecting, kStateAuthFailed), kRefused);
  for (SessionPhase end : {kOver, kRefused, kClosed}) {
    for (int state : {1, kStateConnected, kStateExpired, kStateAuthFailed}) {
      EXPECT_EQ(NextPhase(end, state), end);
    }
  }
}

TEST(SessionTerms, ASessionIsForgottenAfterThreeTimeoutsWithoutAMember) {
  EXPECT_FALSE(IsForgotten(1'000, 1'000 + 3 * 4'000'000'000, 4'000'000));
  EXPECT_TRUE(IsForgotten(1'000, 1'001 + 3 * 4'000'000'000, 4'000'000));
}

TEST(SessionTerms, FourTicksAreTheShortestTimeout) {
  EXPECT_EQ(TickOfShortestSession(4'000'000), 2'000'000);
  EXPECT_OK(CheckTimeout(2'000'000, 500'000));
  Status refused = CheckTimeout(1'999'000, 500'000);
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.ToString().find("timeout 1999 ms is too short"), std::string::npos) << refused;
  EXPECT_NE(refused.ToString().find("--lease 2s"), std::string::npos) << refused;
  // The default tickTime of ZooKeeper and the default lease of `sippar serve` do not fit together.
  Status stock = CheckTimeout(6'000'000, 2'000'000);
  EXPECT_EQ(stock.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(stock.ToString().find("--lease 8s"), std::string::npos) << stock;
  EXPECT_NE(stock.ToString().find("tickTime of the members to 1500"), std::string::npos) << stock;
}

TEST(SessionTerms, LessThanWasAskedForIsRefused) {
  EXPECT_OK(CheckGranted(6'000'000, 6'000'000));
  EXPECT_OK(CheckGranted(6'000'000, 8'000'000));
  EXPECT_OK(CheckGranted(6'000'999, 6'000'000)) << "the client asks in milliseconds";
  Status refused = CheckGranted(60'000'000, 40'500'000);
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  for (const char* part :
       {"40500 ms", "60000 ms", "maxSessionTimeout to 60000", "--lease 40500ms"}) {
    EXPECT_NE(refused.ToString().find(part), std::string::npos) << part << " in " << refused;
  }
}

TEST(SessionTerms, AHeartbeatCountsFromItsSendingOneTickEarly) {
  EXPECT_EQ(OverAtNanos(1'000'000'000, 6'000'000, 500'000), 6'500'000'000);
  EXPECT_EQ(CallNanos(6'000'000), 2'000'000'000);
}

TEST(Secret, IsTheFirstLineOfAFile) {
  engine::MemoryFileSystem fs;
  EXPECT_OK(fs.CreateDir("/etc"));
  EXPECT_CODE(ReadZooKeeperSecret(&fs, "/etc/secret"), StatusCode::kNotFound);
  EXPECT_OK(engine::ReplaceFile(&fs, "/etc/secret", "open sesame\r\nnot this\n"));
  EXPECT_EQ(ReadZooKeeperSecret(&fs, "/etc/secret").value(), "open sesame");
  EXPECT_OK(engine::ReplaceFile(&fs, "/etc/secret", "alone"));
  EXPECT_EQ(ReadZooKeeperSecret(&fs, "/etc/secret").value(), "alone");
  for (const char* text : {"", "\n", "\r\nx"}) {
    EXPECT_OK(engine::ReplaceFile(&fs, "/etc/secret", text));
    EXPECT_CODE(ReadZooKeeperSecret(&fs, "/etc/secret"), StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace sippar::cluster::zookeeper
