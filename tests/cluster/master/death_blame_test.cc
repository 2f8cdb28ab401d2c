// Tests which tablets are blamed for the death of a server (tests/FAULTS.md P19).
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/death_blame.h"

#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <string>

namespace sippar::cluster::master {
namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kWallUs = 1'000'000 * kSecond;  // wall time at kNowUs
constexpr int64_t kNowUs = 1'000 * kSecond;

class DeathBlame : public testing::Test {
 protected:
  DeathBlame() {
    state_.options.sets_aside = true;
    state_.stage = StartStage::kRunning;
    state_.wall_us = kWallUs;
    state_.first_wall_us = kWallUs - 900 * kSecond;
    server_.id = {"s1", 4};
  }

  // Adds a tablet of the server that is blamed for `deaths` deaths in the last minutes.
  Tablet* Add(uint64_t id, size_t deaths = 0, uint64_t table_id = 7) {
    TabletFacts facts;
    facts.table_id = table_id;
    facts.tablet_id = id;
    facts.phase = TabletPhase::kAssigned;
    facts.server = server_.id;
    facts.range = {std::to_string(id), std::to_string(id + 1)};
    facts.assigned_us = kWallUs - 600 * kSecond;
    for (size_t i = 0; i < deaths; ++i) {
      facts.deaths.push_back({{"s0", i + 1}, kWallUs - 300 * kSecond});
    }
    Tablet* tablet = state_.tablets.Put(facts);
    server_.tablets[id] = tablet;
    return tablet;
  }
  Tablet* AddServed(uint64_t id, int64_t for_us, size_t deaths = 0) {
    Tablet* tablet = Add(id, deaths);
    tablet->load_sent = true;
    tablet->served_us = kNowUs - for_us;
    return tablet;
  }
  Tablet* AddLoading(uint64_t id, size_t deaths = 0) {
    Tablet* tablet = Add(id, deaths);
    tablet->load_sent = true;
    return tablet;
  }
  Blame Of(const Tablet* tablet) {
    if (!server_.recovery) server_.recovery.emplace();
    server_.recovery->since_us = kNowUs;
    server_.recovery->crash = crash_;
    return BlameOf(&turn_, &server_, *tablet);
  }

  std::optional<CrashNote> crash_ = CrashNote{SIGSEGV, 0};
  MasterState state_;
  Server server_;
  Turn turn_{&state_, kNowUs, {}, {}, {}};
};

TEST_F(DeathBlame, OnlyTabletsOnTrialAreBlamed) {
  const Tablet* loading = AddLoading(1);
  const Tablet* fresh = AddServed(2, 9 * kSecond);
  const Tablet* old = AddServed(3, 11 * kSecond, 2);
  const Tablet* untold = Add(4);
  const Tablet* of_metadata = Add(5, 0, kMetadataTableId);
  EXPECT_EQ(Of(loading), Blame::kBlamed);
  EXPECT_EQ(Of(fresh), Blame::kBlamed);
  EXPECT_EQ(Of(old), Blame::kCleared);
  EXPECT_EQ(Of(untold), Blame::kNone);
  EXPECT_EQ(Of(of_metadata), Blame::kNone);
}

TEST_F(DeathBlame, OfThoseOnTrialTheMostSuspectedAreBlamed) {
  const Tablet* innocent = AddLoading(1);
  const Tablet* suspect = AddLoading(2, 1);
  EXPECT_EQ(Of(innocent), Blame::kNone);
  EXPECT_EQ(Of(suspect), Blame::kBlamed);
}

TEST_F(DeathBlame, TheThirdDeathSetsAsideWhatWasAlone) {
  const Tablet* suspect = AddLoading(1, 2);
  AddLoading(2, 1);
  EXPECT_EQ(Of(suspect), Blame::kSetAside);
}

TEST_F(DeathBlame, OfTwoEqualSuspectsNoneIsSetAside) {
  const Tablet* first = AddLoading(1, 2);
  const Tablet* second = AddLoading(2, 2);
  EXPECT_EQ(Of(first), Blame::kBlamed);
  EXPECT_EQ(Of(second), Blame::kBlamed);
}

TEST_F(DeathBlame, AnEarlierMastersVerdictsCount) {
  const Tablet* suspect = AddLoading(1, 2);
  Tablet* judged = Add(2);
  judged->facts.phase = TabletPhase::kRecovering;
  judged->facts.deaths = {{server_.id, kWallUs}};
  EXPECT_EQ(Of(suspect), Blame::kBlamed);
}

TEST_F(DeathBlame, DeathsOfAnHourAgoDoNotCount) {
  Tablet* tablet = AddLoading(1, 2);
  tablet->facts.deaths[0].time_us = kWallUs - 3'601 * kSecond;
  EXPECT_EQ(Of(tablet), Blame::kBlamed);
}

TEST_F(DeathBlame, AnAssignmentOfAnEarlierMasterIsOnTrialForAWhile) {
  state_.first_wall_us = kWallUs - 5 * kSecond;
  Tablet* recent = Add(1);
  recent->facts.assigned_us = kWallUs - 20 * kSecond;
  Tablet* old = Add(2);
  old->facts.assigned_us = kWallUs - 40 * kSecond;
  EXPECT_EQ(Of(recent), Blame::kBlamed);
  EXPECT_EQ(Of(old), Blame::kNone);
}

TEST_F(DeathBlame, AServerThatLeftNoNoteOfACrashBlamesNone) {
  crash_.reset();
  const Tablet* loading = AddLoading(1, 2);
  const Tablet* fresh = AddServed(2, 9 * kSecond, 2);
  const Tablet* old = AddServed(3, 11 * kSecond, 2);
  EXPECT_EQ(Of(loading), Blame::kNone);
  EXPECT_EQ(Of(fresh), Blame::kNone);
  EXPECT_EQ(Of(old), Blame::kCleared);
}

TEST_F(DeathBlame, ATabletThatTheNoteNamesIsBlamedAloneEvenAfterItsTrial) {
  crash_->tablet_id = 3;
  const Tablet* loading = AddLoading(1, 2);
  const Tablet* fresh = AddServed(2, 9 * kSecond);
  const Tablet* named = AddServed(3, 600 * kSecond);
  const Tablet* old = AddServed(4, 600 * kSecond, 2);
  EXPECT_EQ(Of(loading), Blame::kNone);
  EXPECT_EQ(Of(fresh), Blame::kNone);
  EXPECT_EQ(Of(named), Blame::kBlamed);
  EXPECT_EQ(Of(old), Blame::kCleared);
}

TEST_F(DeathBlame, TheThirdNoteThatNamesATabletSetsItAside) {
  crash_->tablet_id = 1;
  const Tablet* named = AddServed(1, 600 * kSecond, 2);
  AddLoading(2, 2);
  EXPECT_EQ(Of(named), Blame::kSetAside);
}

TEST_F(DeathBlame, ANoteThatNamesATabletOfMetadataOrNoneOfTheServersBlamesNone) {
  const Tablet* of_metadata = Add(1, 0, kMetadataTableId);
  const Tablet* loading = AddLoading(2, 2);
  for (uint64_t named : {1, 99}) {
    crash_->tablet_id = named;
    server_.recovery.reset();
    EXPECT_EQ(Of(of_metadata), Blame::kNone);
    EXPECT_EQ(Of(loading), Blame::kNone);
  }
}

TEST_F(DeathBlame, SuspectsAreTriedInSmallGroups) {
  Tablet* first = Add(1, 2);
  Tablet* second = Add(2, 2);
  const Tablet* innocent = Add(3, 1);
  EXPECT_TRUE(MayTry(turn_, server_, *first));
  first->load_sent = true;
  EXPECT_FALSE(MayTry(turn_, server_, *second));
  EXPECT_TRUE(MayTry(turn_, server_, *innocent));
  first->served_us = kNowUs - 11 * kSecond;
  EXPECT_TRUE(MayTry(turn_, server_, *second));
  for (uint64_t id = 4; id < 20; ++id) Add(id, 2);  // 18 suspects, so two may be tried at a time
  second->load_sent = true;
  EXPECT_TRUE(MayTry(turn_, server_, *server_.tablets[4]));
  server_.tablets[4]->load_sent = true;
  EXPECT_FALSE(MayTry(turn_, server_, *server_.tablets[5]));
}

TEST_F(DeathBlame, AClusterOfOneBlamesNone) {
  state_.options.sets_aside = false;
  const Tablet* tablet = AddLoading(1, 2);
  EXPECT_EQ(Of(tablet), Blame::kNone);
  EXPECT_TRUE(MayTry(turn_, server_, *tablet));
}

}  // namespace
}  // namespace sippar::cluster::master
