// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/drain_order.h"

#include <gtest/gtest.h>

namespace sippar::cluster {
namespace {

constexpr Leaving kAll[] = {Leaving::kStays, Leaving::kBegun, Leaving::kUserTablets,
                            Leaving::kMetadata};

TEST(DrainOrder, NamesComeBack) {
  for (Leaving leaving : kAll) EXPECT_EQ(LeavingOf(NameOf(leaving)), leaving);
  EXPECT_EQ(LeavingOf("of-a-later-version"), Leaving::kStays);
}

TEST(DrainOrder, TheLastServerWaitsForNone) {
  EXPECT_TRUE(MayGoOn(Ending::kOneServer, Leaving::kUserTablets, {}));
  EXPECT_TRUE(MayGoOn(Ending::kOneServer, Leaving::kMetadata, {}));
}

TEST(DrainOrder, AServerThatStaysTakesOverWhatIsStillNeeded) {
  EXPECT_TRUE(
      MayGoOn(Ending::kOneServer, Leaving::kUserTablets, {Leaving::kBegun, Leaving::kStays}));
  EXPECT_TRUE(
      MayGoOn(Ending::kOneServer, Leaving::kMetadata, {Leaving::kStays, Leaving::kUserTablets}));
}

TEST(DrainOrder, WhereAllEndAServerThatHasNotBegunYetTakesNothingOver) {
  EXPECT_FALSE(MayGoOn(Ending::kAllServers, Leaving::kUserTablets, {Leaving::kStays}));
  EXPECT_FALSE(
      MayGoOn(Ending::kAllServers, Leaving::kMetadata, {Leaving::kMetadata, Leaving::kStays}));
  EXPECT_TRUE(MayGoOn(Ending::kAllServers, Leaving::kUserTablets, {Leaving::kUserTablets}));
}

TEST(DrainOrder, OfServersThatEndTogetherEachLevelWaitsForTheOneAboveIt) {
  EXPECT_FALSE(
      MayGoOn(Ending::kOneServer, Leaving::kUserTablets, {Leaving::kMetadata, Leaving::kBegun}));
  EXPECT_TRUE(MayGoOn(Ending::kOneServer, Leaving::kUserTablets,
                      {Leaving::kMetadata, Leaving::kUserTablets}));
  EXPECT_FALSE(
      MayGoOn(Ending::kOneServer, Leaving::kMetadata, {Leaving::kMetadata, Leaving::kUserTablets}));
  EXPECT_TRUE(MayGoOn(Ending::kOneServer, Leaving::kMetadata, {Leaving::kMetadata}));
}

}  // namespace
}  // namespace sippar::cluster
