// Tests the interpretation of a member's answer to `srvr`.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/member_probe.h"

#include <gtest/gtest.h>

namespace sippar::cluster::zookeeper {
namespace {

TEST(MemberProbe, TheAnswersOfAMember) {
  const MemberLook serves = ReadAnswer(
      "Zookeeper version: 3.8.0-${mvngit.commit.id}, built on ...\nLatency min/avg/max: 0/0.0/0\n"
      "Zxid: 0x2\nMode: follower\nNode count: 5\n");
  EXPECT_EQ(serves.state, MemberState::kServes);
  EXPECT_EQ(serves.detail, "follower");
  EXPECT_EQ(ReadAnswer("This ZooKeeper instance is not currently serving requests\n").state,
            MemberState::kNoLeader);
  EXPECT_EQ(ReadAnswer("").state, MemberState::kSilent);
  const MemberLook other = ReadAnswer("SSH-2.0-OpenSSH_9.2\r\nmore");
  EXPECT_EQ(other.state, MemberState::kUnknown);
  EXPECT_EQ(other.detail, "it answers 'SSH-2.0-OpenSSH_9.2\\x0d'");
  EXPECT_EQ(ReadAnswer("srvr is not executed because it is not in the whitelist.\n").state,
            MemberState::kUnknown);
}

TEST(MemberProbe, AnAddressWithoutAMember) {
  const MemberLook away = AskMember("127.0.0.1:1", 1'000'000);
  EXPECT_EQ(away.state, MemberState::kAway);
  EXPECT_EQ(away.detail, "Connection refused");
}

}  // namespace
}  // namespace sippar::cluster::zookeeper
