// Tests the small decisions of the wire: hello, credit, admission, keepalive, waits, failures.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cluster/net/admission.h"
#include "cluster/net/credit.h"
#include "cluster/net/failure.h"
#include "cluster/net/frame.h"
#include "cluster/net/hello.h"
#include "cluster/net/keepalive.h"
#include "cluster/net/reconnect.h"

namespace sippar::net {
namespace {

Hello Member(uint32_t oldest, uint32_t newest, const std::string& name) {
  Hello hello;
  hello.oldest = oldest;
  hello.newest = newest;
  hello.role = "tabletserver";
  hello.name = name;
  hello.cluster = "c1";
  return hello;
}

TEST(HelloTest, EveryFieldComesBackAndLaterFieldsArePassedOver) {
  Hello hello = Member(3, 9, "ts1.42");
  hello.features = 0xf00000000000000f;
  hello.lane = Lane::kMetadata;
  hello.expected = "m1.7";
  hello.lease_us = 6'000'000;
  auto found = DecodeHello(EncodeHello(hello) + "fields of a later version");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(EncodeHello(*found), EncodeHello(hello));
  EXPECT_EQ(found->lane, Lane::kMetadata);
  EXPECT_EQ(found->features, 0xf00000000000000f);
  EXPECT_EQ(found->lease_us, 6'000'000);
}

TEST(HelloTest, AnOlderMemberTellsNoLeaseAndNoneTellsMoreThanAnHour) {
  Hello hello = Member(1, 1, "ts1.1");
  const std::string bytes = EncodeHello(hello);
  const std::string older = bytes.substr(0, bytes.size() - 1);  // ends before the lease
  for (const std::string& text : {older, older + "\xff", older + std::string(20, '\xff')}) {
    auto found = DecodeHello(text);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->name, "ts1.1");
    EXPECT_EQ(found->lease_us, 0);
  }
  hello.lease_us = int64_t{86'400} * 1'000'000;
  EXPECT_EQ(DecodeHello(EncodeHello(hello))->lease_us, int64_t{3600} * 1'000'000);
}

TEST(HelloTest, BytesThatAreNoneAreRefused) {
  std::string bytes = EncodeHello(Member(1, 2, "ts1.1"));
  for (size_t size = 0; size + 1 < bytes.size(); ++size) {  // the last byte is the lease
    EXPECT_EQ(DecodeHello(bytes.substr(0, size)).status().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_FALSE(DecodeHello("GET / HTTP/1.1\r\n").ok());
  EXPECT_FALSE(DecodeHello(EncodeHello(Member(0, 2, "x"))).ok());
  EXPECT_FALSE(DecodeHello(EncodeHello(Member(3, 2, "x"))).ok());
  Hello odd = Member(1, 1, "x");
  odd.lane = static_cast<Lane>(kLanes);
  EXPECT_FALSE(DecodeHello(EncodeHello(odd)).ok());
}

TEST(HelloTest, NeighboursUseTheNewestVersionOfBothAndOthersAreRefusedNamingBoth) {
  Hello old_member = Member(1, 2, "ts1.1"), new_member = Member(2, 3, "ts2.1");
  old_member.features = 0b011, new_member.features = 0b110;
  auto agreed = Agree(old_member, new_member);
  ASSERT_TRUE(agreed.ok());
  EXPECT_EQ(agreed->version, 2u);
  EXPECT_EQ(agreed->features, 0b010u);
  auto other_end = Agree(new_member, old_member);
  ASSERT_TRUE(other_end.ok());
  EXPECT_EQ(other_end->version, 2u);

  Hello newest = Member(3, 4, "ts3.1");
  for (const auto& refused : {Agree(old_member, newest), Agree(newest, old_member)}) {
    EXPECT_EQ(refused.status().code(), StatusCode::kUnimplemented);
    for (const char* part : {"ts1.1", "ts3.1", "1 to 2", "3 to 4"}) {
      EXPECT_NE(MessageOf(refused.status()).find(part), std::string_view::npos) << part;
    }
  }
}

TEST(HelloTest, AnotherClusterOrAnotherLifeIsRefusedNamingBoth) {
  Hello mine = Member(1, 1, "ts1.1"), theirs = Member(1, 1, "ts2.5");
  theirs.cluster = "c2";
  EXPECT_EQ(Agree(mine, theirs).status().code(), StatusCode::kInvalidArgument);
  theirs.cluster = "";  // a client that does not know its cluster's name
  EXPECT_TRUE(Agree(mine, theirs).ok());
  theirs.cluster = "c1";
  mine.expected = "ts2.4";
  for (const auto& refused : {Agree(mine, theirs), Agree(theirs, mine)}) {
    EXPECT_EQ(refused.status().code(), StatusCode::kUnavailable);
    for (const char* part : {"ts1.1", "ts2.5", "ts2.4"}) {
      EXPECT_NE(MessageOf(refused.status()).find(part), std::string_view::npos) << part;
    }
  }
  mine.expected = "ts2.5";
  EXPECT_TRUE(Agree(mine, theirs).ok());
}

TEST(CreditTest, ASenderStopsAtTheWindowAndGoesOnWhenTheReaderHasTaken) {
  constexpr uint64_t kWindow = 1000;
  SendCredit sender(kWindow);
  ReceiveCredit reader(kWindow);
  int sent = 0;
  for (; sender.MaySend(); ++sent) {
    sender.Sent(300);
    EXPECT_TRUE(reader.Arrived(300));
  }
  EXPECT_EQ(sent, 4);  // the last part exceeds the credit
  EXPECT_FALSE(reader.Arrived(1));
  EXPECT_EQ(reader.held(), 1200u);
  uint64_t granted = 0;
  for (int taken = 0; taken < sent; ++taken) {
    uint64_t now = reader.Taken(300);
    EXPECT_GE(now, 250u);
    granted += now;
    sender.Granted(now);
  }
  EXPECT_EQ(granted, 1200u);
  EXPECT_EQ(reader.held(), 0u);
  EXPECT_TRUE(sender.MaySend());
}

TEST(CreditTest, SmallPartsAreGrantedTogetherAndNeverKeptFromAnIdleReader) {
  ReceiveCredit reader(1000);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(reader.Arrived(10));
  for (int i = 0; i < 9; ++i) EXPECT_EQ(reader.Taken(10), 0u);
  EXPECT_EQ(reader.Taken(10), 100u);  // no bytes are held any more
}

TEST(CreditTest, WhatWasTakenAndNotGrantedIsNoCreditYet) {
  ReceiveCredit reader(1000);
  EXPECT_TRUE(reader.Arrived(900));
  EXPECT_TRUE(reader.Arrived(100));
  EXPECT_EQ(reader.Taken(100), 0u);
  EXPECT_FALSE(reader.Arrived(1));
  EXPECT_EQ(reader.Taken(200), 300u);
  EXPECT_TRUE(reader.Arrived(1));
}

TEST(CreditTest, APartLargerThanTheWindowPassesAndAbsurdGrantsDoNotOverflow) {
  SendCredit sender(1000);
  sender.Sent(5000);
  EXPECT_FALSE(sender.MaySend());
  sender.Granted(4001);
  EXPECT_TRUE(sender.MaySend());
  for (int i = 0; i < 3; ++i) sender.Granted(UINT64_MAX);
  EXPECT_TRUE(sender.MaySend());
}

TEST(AdmissionTest, CallsAndBytesAreBounded) {
  Admission admission(3, 100);
  EXPECT_TRUE(admission.Enter(500));  // admitted whatever its size, because it is alone
  EXPECT_FALSE(admission.Enter(1));
  admission.Leave(500);
  EXPECT_TRUE(admission.Enter(60));
  EXPECT_FALSE(admission.Enter(41));
  EXPECT_FALSE(admission.Enter(SIZE_MAX));
  EXPECT_TRUE(admission.Enter(40));
  EXPECT_TRUE(admission.Enter(0));
  EXPECT_FALSE(admission.Enter(0));
  EXPECT_EQ(admission.calls(), 3u);
  EXPECT_EQ(admission.bytes(), 100u);
}

TEST(KeepaliveTest, ASilentPeerIsAskedOnceAfterAThirdOfALeaseAndLeftAfterTwo) {
  Keepalive keepalive = Keepalive::OfLease(6'000'000);
  SilenceLook look = LookAtSilence(keepalive, 1'500'000, false);
  EXPECT_EQ(look.step, SilenceStep::kNone);
  EXPECT_EQ(look.next_look_us, 500'000);
  look = LookAtSilence(keepalive, 2'000'000, false);
  EXPECT_EQ(look.step, SilenceStep::kAsk);
  EXPECT_EQ(look.next_look_us, 2'000'000);
  EXPECT_EQ(LookAtSilence(keepalive, 3'000'000, true).step, SilenceStep::kNone);
  EXPECT_EQ(LookAtSilence(keepalive, 4'000'000, true).step, SilenceStep::kLeave);
  EXPECT_EQ(LookAtSilence(keepalive, 9'000'000, false).step, SilenceStep::kLeave);
}

TEST(KeepaliveTest, AClientWithOtherMembersFollowsTheLeaseThatItIsTold) {
  const Keepalive follows = Keepalive::OfTheirLease();
  EXPECT_EQ(follows.With(0).leave_after_us, 4'000'000);  // that of a lease of 6 s
  EXPECT_EQ(follows.With(30'000'000).ask_after_us, 10'000'000);
  EXPECT_EQ(follows.With(30'000'000).leave_after_us, 20'000'000);
  EXPECT_EQ(follows.With(1).leave_after_us, 666'666);
  EXPECT_EQ(Keepalive().With(3'000'000).leave_after_us, Keepalive().leave_after_us);
}

TEST(ReconnectTest, TheFirstAttemptIsMadeAtOnceAndLaterOnesWaitLongerUpToABound) {
  engine::Random random(5);
  EXPECT_EQ(ReconnectWait(1, &random), 0);
  for (int failures = 2; failures < 100; ++failures) {
    int64_t base = 10'000 << std::min(failures - 2, 7);
    int64_t wait = ReconnectWait(failures, &random);
    EXPECT_GE(wait, base / 2);
    EXPECT_LT(wait, base / 2 + base);
  }
}

TEST(FailureTest, AFailureComesBackWithItsCauseAndItsMark) {
  Status failure = MarkNotBegun(NotServed("tablet 7 has left this server"), 20'000);
  failure.SetPayload("other", absl::Cord("value"));
  Status found = DecodeFailure(EncodeFailure(failure));
  EXPECT_EQ(found, failure);
  EXPECT_TRUE(HasCause(found, Cause::kNotServed));
  EXPECT_TRUE(IsNotBegun(found));
  EXPECT_EQ(WaitHintOf(found), 20'000);
  EXPECT_FALSE(IsNotBegun(DecodeFailure(EncodeFailure(Unavailable("")))));
  EXPECT_EQ(WaitHintOf(Unavailable("")), 0);
}

TEST(FailureTest, AGoodbyeFitsIntoASmallFrame) {
  Status huge = Internal(std::string(1 << 20, 'x'));
  huge.SetPayload("p", absl::Cord(std::string(1 << 20, 'y')));
  std::string bytes = EncodeGoodbye(huge);
  EXPECT_LT(bytes.size(), kSmallBodySizeMax);
  Status found = DecodeFailure(bytes);
  EXPECT_EQ(found.code(), StatusCode::kInternal);
  EXPECT_TRUE(MessageOf(huge).starts_with(MessageOf(found)));
  EXPECT_EQ(MessageOf(DecodeFailure(EncodeFailure(huge))), MessageOf(huge));
}

TEST(FailureTest, BytesThatAreNoFailureAreAFailureOfTheirOwn) {
  std::string bytes = EncodeFailure(MarkNotBegun(NotFound("row x"), 5));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(DecodeFailure(bytes.substr(0, size)).code(), StatusCode::kInternal) << size;
  }
  EXPECT_EQ(DecodeFailure(bytes + "x").code(), StatusCode::kInternal);
  EXPECT_EQ(DecodeFailure(EncodeFailure(OkStatus())).code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace sippar::net
