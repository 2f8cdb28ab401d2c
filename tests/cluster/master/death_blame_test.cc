// Tests which tablets are blamed for the death of a server (tests/FAULTS.md P19).
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/death_blame.h"

#include <gtest/gtest.h>

#include <csignal>

namespace sippar::cluster::master {
namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kWallUs = 1'000'000 * kSecond;

class DeathBlame : public testing::Test {
 protected:
  DeathBlame() {
    state_.options.sets_aside = true;
    state_.wall_us = kWallUs;
    server_.id = {"s1", 4};
    server_.recovery.emplace();
    server_.recovery->crash = CrashNote{SIGSEGV, 1};
  }

  // A tablet of the server that is blamed for `deaths` deaths in the last minutes.
  Tablet NewTablet(uint64_t id, size_t deaths = 0, uint64_t table_id = 7) {
    Tablet tablet;
    tablet.facts.table_id = table_id;
    tablet.facts.tablet_id = id;
    tablet.facts.phase = TabletPhase::kAssigned;
    tablet.facts.server = server_.id;
    for (size_t i = 0; i < deaths; ++i) {
      tablet.facts.deaths.push_back({{"s0", i + 1}, kWallUs - 300 * kSecond});
    }
    return tablet;
  }
  Blame Of(const Tablet& tablet) { return BlameOf(state_, server_, tablet); }

  MasterState state_;
  Server server_;
};

TEST_F(DeathBlame, OnlyTheTabletThatTheNoteNamesIsBlamed) {
  EXPECT_EQ(Of(NewTablet(1)), Blame::kBlamed);
  EXPECT_EQ(Of(NewTablet(2, 2)), Blame::kNone);
}

TEST_F(DeathBlame, TheThirdNoteThatNamesATabletSetsItAside) {
  EXPECT_EQ(Of(NewTablet(1, 1)), Blame::kBlamed);
  EXPECT_EQ(Of(NewTablet(1, 2)), Blame::kSetAside);
}

TEST_F(DeathBlame, DeathsOfAnHourAgoDoNotCount) {
  Tablet tablet = NewTablet(1, 2);
  tablet.facts.deaths[0].time_us = kWallUs - 3'601 * kSecond;
  EXPECT_EQ(Of(tablet), Blame::kBlamed);
}

TEST_F(DeathBlame, AServerThatLeftNoNoteOfACrashBlamesNone) {
  server_.recovery->crash.reset();
  EXPECT_EQ(Of(NewTablet(1, 2)), Blame::kNone);
}

TEST_F(DeathBlame, ANoteThatIsCutShortBlamesNone) {
  server_.recovery->crash->tablet_id = 0;
  EXPECT_EQ(Of(NewTablet(1, 2)), Blame::kNone);
}

TEST_F(DeathBlame, ATabletOfMetadataIsNeverBlamed) {
  EXPECT_EQ(Of(NewTablet(1, 2, kMetadataTableId)), Blame::kNone);
}

TEST_F(DeathBlame, AClusterOfOneBlamesNone) {
  state_.options.sets_aside = false;
  EXPECT_EQ(Of(NewTablet(1, 2)), Blame::kNone);
}

}  // namespace
}  // namespace sippar::cluster::master
