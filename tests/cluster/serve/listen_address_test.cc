// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/listen_address.h"

#include <gtest/gtest.h>

namespace sippar::cluster {
namespace {

TEST(ListenAddress, OnlyAddressesOfThisMachineAloneAreLoopback) {
  struct Case {
    const char* text;
    bool is_loopback;
    const char* numeric;
  };
  for (const Case& each :
       {Case{"localhost:8086", true, "127.0.0.1"}, Case{"127.0.0.1:0", true, "127.0.0.1"},
        Case{"127.8.9.1:65535", true, "127.8.9.1"}, Case{"[::1]:1", true, "::1"},
        Case{"[::]:1", false, "::"}, Case{"0.0.0.0:1", false, "0.0.0.0"},
        Case{"127.example.org:1", false, "127.example.org"},
        Case{"localhost.example.org:1", false, "localhost.example.org"}}) {
    auto address = ListenAddress::Parse(each.text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->IsLoopback(), each.is_loopback) << each.text;
    EXPECT_EQ(address->Numeric(), each.numeric);
  }
  EXPECT_EQ(ListenAddress::Parse("127.8.9.1:65535")->port, 65'535);
  EXPECT_EQ(ListenAddress::Parse("localhost:1")->Host(), "localhost");
  EXPECT_EQ(ListenAddress::Parse("[::1]:1")->Host(), "::1");
}

TEST(ListenAddress, TextWithoutAPortIsRefused) {
  for (const char* text : {"", "localhost", "localhost:", "localhost:x", "localhost:65536",
                           "localhost:123456", "localhost:-1", "8086"}) {
    EXPECT_EQ(ListenAddress::Parse(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace sippar::cluster
