// Tests which logs a tablet's record must still name.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/unnamed_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sippar::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kTablet = 7;
const ServerId kFirst = {"b", 3};
const ServerId kSecond = {"a", 5};

// A tablet whose SSTables contain everything up to sequence 10.
TabletRecord Record() {
  TabletRecord record;
  record.tablet_id = kTablet;
  record.tablet_epoch = 4;
  record.state.redo_sequence = 10;
  return record;
}

TEST(UnnamedLogs, OnlyLogsWithLaterWritesOfTheTabletAreMissed) {
  const LastSequences lives = {{kFirst, {{kTablet, 10}, {8, 99}}}, {kSecond, {{kTablet, 11}}}};
  EXPECT_THAT(UnnamedLogs(Record(), lives), ElementsAre(kSecond));
}

TEST(UnnamedLogs, ALogThatTheRecordNamesIsNotMissed) {
  const LastSequences lives = {{kFirst, {{kTablet, 11}}}, {kSecond, {{kTablet, 12}}}};
  TabletRecord record = Record();
  record.logs = {kFirst};
  EXPECT_THAT(UnnamedLogs(record, lives), ElementsAre(kSecond));
  // The recovery of the life that has the tablet will add that life's log.
  record.server = kSecond;
  record.phase = TabletPhase::kRecovering;
  EXPECT_THAT(UnnamedLogs(record, lives), IsEmpty());
}

TEST(UnnamedLogs, NamedLogsComeInTheOrderOfTheLives) {
  const LastSequences lives = {{kFirst, {{kTablet, 11}}}, {kSecond, {{kTablet, 12}}}};
  TabletRecord record = Record();
  record.logs = {kSecond};
  record.server = kSecond;
  record.phase = TabletPhase::kAssigned;
  NameLogs(lives, &record);
  EXPECT_THAT(record.logs, ElementsAre(kFirst, kSecond));
  EXPECT_EQ(record.phase, TabletPhase::kUnassigned);
  EXPECT_TRUE(record.server.IsNone());
  EXPECT_EQ(record.tablet_epoch, 5u);
  EXPECT_THAT(UnnamedLogs(record, lives), IsEmpty());
}

}  // namespace
}  // namespace sippar::cluster
