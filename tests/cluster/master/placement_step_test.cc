// Tests what an administrator is told about a server that cannot take a tablet.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/placement_step.h"

#include <gtest/gtest.h>

namespace sippar::cluster::master {
namespace {

TEST(PlacementStep, AServerIsToBeStartedIfNoneIsLive) {
  MasterState state;
  EXPECT_EQ(MessageOf(FindLiveServer(state, "ts1").status()),
            "server ts1 not found (no server is live); start one first");
  state.servers[{"ts1", 4}].id = {"ts1", 4};
  EXPECT_EQ(MessageOf(FindLiveServer(state, "ts1").status()),
            "server ts1.4: it has ended (no server is live); start one first");
  state.servers[{"ts2", 5}].id = {"ts2", 5};
  state.servers[{"ts2", 5}].live = true;
  EXPECT_EQ(MessageOf(FindLiveServer(state, "ts1").status()),
            "server ts1.4: it has ended (live servers: ts2.5); name one of them");
}

}  // namespace
}  // namespace sippar::cluster::master
