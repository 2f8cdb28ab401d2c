// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/member_record.h"

#include <gtest/gtest.h>

namespace sippar::cluster {
namespace {

TEST(MemberRecord, ItComesBackAndKeysOfALaterVersionArePassedOver) {
  const MemberRecord record{"unix:/run/a b/sippar.sock",
                            8086,
                            12,
                            "users",
                            "rack 4",
                            77,
                            "1.0",
                            6'000'000,
                            "0011aaff",
                            "posix:1/2:3:4"};
  for (const std::string& text :
       {record.Encode(), "zone\nrack r1\n" + record.Encode() + "boot 7"}) {
    auto found = MemberRecord::Decode(text);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->host, record.host);
    EXPECT_EQ(found->port, record.port);
    EXPECT_EQ(found->fence, record.fence);
    EXPECT_EQ(found->leaving, record.leaving);
    EXPECT_EQ(found->machine, record.machine);
    EXPECT_EQ(found->pid, record.pid);
    EXPECT_EQ(found->version, record.version);
    EXPECT_EQ(found->lease_us, record.lease_us);
    EXPECT_EQ(found->cluster, record.cluster);
    EXPECT_EQ(found->identity, record.identity);
  }
}

TEST(MemberRecord, TextThatNamesNoPlaceIsRefused) {
  for (const char* text :
       {"", "ts1", "port 8086\n", "host \nport 1\n", "host a\nport 65536\n", "host a\nport -1\n",
        "host a\nport\n", "host a\nfence 1x\n", "host a\nport 1\nlease 6s\n"}) {
    auto found = MemberRecord::Decode(text);
    EXPECT_EQ(found.status().code(), StatusCode::kInvalidArgument) << text;
  }
  const Status wrong = MemberRecord::Decode("host a\nport 65536\n").status();
  EXPECT_NE(MessageOf(wrong).find("its line 'port 65536' has no valid number"),
            std::string_view::npos)
      << wrong;
  const Status unreached = MemberRecord::Decode("host a\nfence 1\n").status();
  EXPECT_NE(MessageOf(unreached).find("it does not say how the member is reached"),
            std::string_view::npos)
      << unreached;
}

}  // namespace
}  // namespace sippar::cluster
